import { growingDelay, type JsonValue, type Outcome, refusal, textOfThrown } from '#core';
import { referenceParts } from '#core/secrets';
import {
  type AbortSignalLike,
  limited,
  SecretNotFound,
  type SecretResolver,
  SecretStoreAway,
} from '#ports';
import type { EngineParts } from './parts.js';
import type { StepContext } from './step-context.js';

/** How long the secrets of one attempt may take, in milliseconds. */
const LIMIT_MS = 5_000;

/** Waits between two tries to fetch them, in milliseconds. */
const WAITS = { firstMs: 1_000, maxMs: 60_000 };

/** Longest message of a resolver that is kept. */
const MESSAGE_MAX = 500;

/** Time between two warnings that they cannot be fetched, in milliseconds. */
const SAY_AGAIN_MS = 60_000;

type SecretFetcherParts = Pick<
  EngineParts,
  'clock' | 'createAbort' | 'observer' | 'secretResolvers' | 'secretRules'
>;

/** Fetches the secrets that an attempt is to be given, before its command is entered. */
export class SecretFetcher {
  private readonly resolvers: ReadonlyMap<string, SecretResolver>;
  private saidAt = -Infinity;

  constructor(private readonly parts: SecretFetcherParts) {
    const { secretResolvers = [] } = parts;
    this.resolvers = new Map(secretResolvers.map((resolver) => [resolver.name, resolver]));
  }

  /** Null: the attempt has all of them. Else the outcome of one that cannot enter its command. */
  async fetchFor(context: StepContext): Promise<Outcome | null> {
    const { references } = context;
    if (references.length === 0) return null;
    const denied = references.find((each) => !this.allows(context.module, each));
    if (denied !== undefined) {
      const message = `module ${context.module} may not have the secret ${denied}`;
      return refusal('SECRET_NOT_ALLOWED', `${message}: BACKSTEP_SECRETS does not list it`);
    }
    try {
      const secrets = await Promise.all(references.map((each) => this.resolve(each, context)));
      for (const [n, reference] of references.entries()) {
        context.addSecret(reference, secrets[n] ?? null);
      }
      return null;
    } catch (error) {
      // By its name: whoever made the resolver may have another copy of the package.
      const isGone = error instanceof Error && error.name === SecretNotFound.name;
      return isGone ? refusal('SECRET_NOT_FOUND', error.message) : this.later(context, error);
    }
  }

  /** Whether the rules list a secret for a module: all of it, its place, or how that begins. */
  private allows(module: string, reference: string): boolean {
    const [place] = reference.split('#');
    const { secretRules = [] } = this.parts;
    return secretRules.some((rule) => {
      return rule.module === module && rule.secrets.some((each) => fits(each, [reference, place]));
    });
  }

  private async resolve(reference: string, context: StepContext): Promise<JsonValue> {
    const { clock, createAbort } = this.parts;
    const { key = null, path = '', resolver: name = '' } = referenceParts(reference) ?? {};
    const resolver = this.resolvers.get(name);
    if (resolver === undefined) throw new SecretStoreAway(`this process has no resolver ${name}`);
    const ending = createAbort();
    const stop = (): void => ending.abort(new Error('the attempt is over'));
    const ms = Math.min(LIMIT_MS, context.timeLeft());
    const late = (): Error =>
      new SecretStoreAway(`the resolver did not answer for ${reference} within ${ms} ms`);
    context.signal.addEventListener('abort', stop, { once: true });
    try {
      const fetched = resolver.resolve({ reference, path, key }, ending.signal);
      return await limited(Promise.race([fetched, abortOf(ending.signal)]), { clock, ms }, late);
    } finally {
      context.signal.removeEventListener('abort', stop);
      stop();
    }
  }

  /** A store that is away is trouble of this process, and no failure. */
  private later(context: StepContext, error: unknown): Outcome {
    const message = `a secret store does not answer: ${obstacleIn(error)}`;
    // It was not entered, so that nothing of it is undone.
    const isUnwanted = context.abortReason === 'called_off';
    if (isUnwanted) return { kind: 'handed_back', message, wait: { afterMs: 0, lostMs: 0 } };
    if (context.abortReason !== null) return { kind: 'handed_back', message };
    this.warn(message, context);
    const afterMs = growingDelay(WAITS, context.attempt);
    return { kind: 'handed_back', message, wait: { afterMs, lostMs: context.heldMs() } };
  }

  private warn(message: string, { taskId }: StepContext): void {
    const now = this.parts.clock.monotonic();
    if (now - this.saidAt < SAY_AGAIN_MS) return;
    this.saidAt = now;
    this.parts.observer.noticed({ level: 'warn', name: 'secret_store_away', message, taskId });
  }
}

function fits(listed: string, names: readonly (string | undefined)[]): boolean {
  if (!listed.endsWith('*')) return names.includes(listed);
  return names[0]?.startsWith(listed.slice(0, -1)) ?? false;
}

/** Of an error that no resolver made for people the name alone: its message may quote a secret. */
function obstacleIn(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  const isMeant = name === SecretStoreAway.name;
  return isMeant ? textOfThrown(error).slice(0, MESSAGE_MAX) : `its resolver failed with ${name}`;
}

/** Rejects once the signal aborts. */
function abortOf(signal: AbortSignalLike): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
