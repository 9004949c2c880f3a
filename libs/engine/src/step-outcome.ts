import { assertNever, type Outcome, refusal, type TaskEvent, textOfThrown } from '#core';
import { CannotOpenSecret } from '#ports';
import type { Claim } from './claim.js';
import type { SecretFetcher } from './secret-fetcher.js';
import type { AbortReason, StepContext } from './step-context.js';

/** Longest message that is kept of an error nobody expected. */
const MESSAGE_MAX = 2_000;

/** The outcome of an attempt, and the end of a command that outlives it. */
interface Attempted {
  readonly outcome: Outcome;
  /** Set: the command still runs; it occupies its slot until this resolves. */
  readonly leftBehind: Promise<void> | null;
}

/** Runs one attempt; whatever the handler does, there is an outcome. */
export async function attempt(
  { handler, context }: Claim,
  fetcher: Pick<SecretFetcher, 'fetchFor'>,
): Promise<Attempted> {
  let leftBehind: Promise<void> | null = null;
  try {
    const refusal = context.hasSecrets ? await takeSecrets(context, fetcher) : null;
    if (refusal !== null) return { outcome: refusal, leftBehind };
    const outcome = await handler.run(context, (ended) => {
      leftBehind = ended;
    });
    if (leftBehind !== null) context.abort('time_over');
    return { outcome: context.close(outcome, handler.secrets), leftBehind };
  } catch (error) {
    const message = textOfThrown(error).slice(0, MESSAGE_MAX);
    const outcome: Outcome = { kind: 'failed', terminal: false, failure: 'FAILED', message };
    return { outcome: context.close(outcome), leftBehind };
  }
}

/** Has the attempt have its secrets before its command is entered. Null: it has. */
export async function takeSecrets(
  context: StepContext,
  fetcher: Pick<SecretFetcher, 'fetchFor'>,
): Promise<Outcome | null> {
  const away = await fetcher.fetchFor(context);
  // Also where those elsewhere are away: what was opened is looked for in all that is said.
  const closed = openSecrets(context);
  return away ?? closed;
}

/**
 * Opens what the command is given, before it is entered. Null: it can be. A key that is missing is
 * trouble of this process, and no failure; a value that was changed is one, and nothing happened.
 */
function openSecrets(context: StepContext): Outcome | null {
  try {
    void context.parameters;
    // A worker is given these too, and what it says comes to a context that nobody asked for them.
    void context.results;
    void context.output;
    return null;
  } catch (error) {
    if (!(error instanceof CannotOpenSecret)) throw error;
    const message = `a secret among the parameters cannot be opened: ${error.message}`;
    if (error.isKeyMissing) return { kind: 'handed_back', message };
    return refusal('INVALID_PARAMETERS', message);
  }
}

/**
 * The event that reports an outcome. A failure that our own stop caused is not the command's fault.
 */
export function eventOf(claim: Claim, outcome: Outcome): TaskEvent {
  const { context, ref, token } = claim;
  const { direction, step } = ref;
  const report = { direction, step, token };
  switch (outcome.kind) {
    // Most attempts end so, and it is written out: a spread costs more.
    case 'succeeded':
      if (context.hasSealed) return { direction, step, token, hasSecrets: true, ...outcome };
      return { kind: 'succeeded', direction, step, token, output: outcome.output };
    case 'not_finished':
      return {
        kind: 'not_finished',
        ...report,
        afterMs: outcome.afterMs,
        message: outcome.message,
      };
    case 'completes_later':
      return { kind: 'completes_later', ...report, timeoutMs: outcome.timeoutMs };
    case 'timed_out':
      return { kind: 'timed_out', ...report, message: outcome.message };
    case 'handed_back':
      return { direction, step, token, ...outcome };
    case 'failed':
      if (!isOurFault(outcome, context.abortReason)) return { direction, step, token, ...outcome };
      return { kind: 'handed_back', ...report, message: outcome.message };
    default:
      return assertNever(outcome);
  }
}

/**
 * Whether an attempt failed because we stopped it: this process is stopping, or could not renew the
 * lease in time although nobody else has the step. An error that says it is terminal is believed.
 */
function isOurFault(
  { refused, terminal }: Extract<Outcome, { kind: 'failed' }>,
  reason: AbortReason | null,
): boolean {
  // A command that was never entered met no signal.
  if (refused === true) return false;
  return reason === 'stopping' || (reason === 'lease_lost' && !terminal);
}
