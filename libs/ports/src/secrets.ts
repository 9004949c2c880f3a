import type { JsonValue } from '#core';
import type { AbortSignalLike } from './time-and-chance.js';

/** The place of a secret that a reference names: `vault:kv/db#password`. */
export interface SecretPlace {
  /** The whole reference, for messages: it is no secret. */
  readonly reference: string;
  /** Names with `/` between them, none of them empty, `.` or `..`: `kv/db`. */
  readonly path: string;
  /** `password`; null: the reference has none. */
  readonly key: string | null;
}

/** Fetches secrets that are kept elsewhere. A process has at most one of each name. */
export interface SecretResolver {
  /** The first word of the references that it knows: small letters, digits and `-`. */
  readonly name: string;
  /**
   * The secret as it is now; it keeps none. Throws `SecretNotFound` where there is none, and
   * anything else, as a rule `SecretStoreAway`, where that cannot be told now: then the command
   * waits. No message may have anything of a secret in it.
   */
  resolve(place: SecretPlace, signal: AbortSignalLike): Promise<JsonValue>;
}

/** The secrets elsewhere that the commands of a module may be given. */
export interface SecretRule {
  readonly module: string;
  /** References, with or without a key; one that ends in `*` stands for all that begin so. */
  readonly secrets: readonly string[];
}

/** Nothing can be sealed: this process has no key for secrets. */
export class NoSecretKey extends Error {
  override readonly name = 'NoSecretKey';

  constructor() {
    super('there is no key to seal secrets with: BACKSTEP_SECRET_KEY is not set');
  }
}

/**
 * A value cannot be opened. With `isKeyMissing` another process may be able to, or this one once it
 * was given the key, so it is never a task's failure; without, the value was changed, or belongs to
 * another task.
 */
export class CannotOpenSecret extends Error {
  override readonly name = 'CannotOpenSecret';

  constructor(
    readonly isKeyMissing: boolean,
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message, options);
  }
}

/**
 * Seals the secrets of tasks, and opens them. `owner` is what a value belongs to, and must be given
 * to open it: `sealOwner` of a task, or the name of what keeps parameters for tasks to come.
 */
export interface Secrets {
  /** Whether there is a key to seal with. */
  readonly canSeal: boolean;
  /** The sealed form of any JSON; another one each time. Throws `NoSecretKey`. */
  seal(value: JsonValue, owner: string): string;
  /** The value again. Throws `CannotOpenSecret`. */
  open(sealed: string, owner: string): JsonValue;
  /** Whether the key is there that a value was sealed with. */
  hasKeyOf(sealed: string): boolean;
  /**
   * Fingerprints of a text, by which equal texts are found; they reveal nothing else of it. One for
   * each key, that of the sealing key first. Empty: there is no key.
   */
  fingerprints(text: string): readonly string[];
}

/** Of a process without a key. */
export const NO_SECRETS: Secrets = Object.freeze({
  canSeal: false,
  seal: () => {
    throw new NoSecretKey();
  },
  open: () => {
    throw new CannotOpenSecret(true, 'BACKSTEP_SECRET_KEY is not set');
  },
  hasKeyOf: () => false,
  fingerprints: () => [],
});

/** There is no secret at a place. The step that asks for it fails for good, with this message. */
export class SecretNotFound extends Error {
  override readonly name = 'SecretNotFound';

  /** `reason` goes on after the reference: `has no member password`. */
  constructor({ reference }: Pick<SecretPlace, 'reference'>, reason = 'is not there') {
    super(`the secret ${reference} ${reason}`);
  }
}

/** Where secrets are kept does not answer, or not as it should. Never a task's failure. */
export class SecretStoreAway extends Error {
  override readonly name = 'SecretStoreAway';
}
