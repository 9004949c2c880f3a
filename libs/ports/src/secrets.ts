import type { JsonValue } from '#core';

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
