import type { JsonValue } from '#core';
import type { AbortSignalLike } from './abort.js';

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

/** The secrets elsewhere that the commands of a module may be given. */
export interface SecretRule {
  readonly module: string;
  /** References, with or without a key; one that ends in `*` stands for all that begin so. */
  readonly secrets: readonly string[];
}
