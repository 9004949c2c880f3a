import { isSameSecret } from './same-secret.js';

/** Long enough that nobody guesses it; and what a header carries as it is. */
const SECRET = /^[\x21-\x7e]{32,1000}$/;
/** The one in use, and the one that takes its place or had it before. */
const SECRETS_MAX = 2;

/**
 * The secrets in a text: one in each line, 32 characters or more each, one or two of them. Throws a
 * `RangeError` that says what would be right, and quotes nothing.
 */
export function proxySecretsIn(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const secrets = lines.filter((line) => line !== '');
  if (secrets.length > 0 && secrets.length <= SECRETS_MAX && secrets.every((s) => SECRET.test(s))) {
    return secrets;
  }
  throw new RangeError(
    'must have one or two lines, each a secret of 32 to 1000 visible ASCII characters',
  );
}

/** A secret that was shown, and whether those that count have not been cut since. */
interface ShownSecret {
  readonly isCurrent: boolean;
}

/** The secrets that trusted proxies share with this process. They may be replaced while it runs. */
export class ProxySecrets {
  #secrets: readonly string[];
  /** How often a secret has ceased to count. */
  #generation = 0;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** Other secrets count from now on. */
  replace(secrets: readonly string[]): void {
    if (!this.#secrets.every((secret) => secrets.includes(secret))) this.#generation += 1;
    this.#secrets = secrets;
  }

  /** Null: the text is none of the secrets. */
  find(text: string): ShownSecret | null {
    // All are compared: the time it takes does not say which one it was.
    const found = this.#secrets.map((secret) => isSameSecret(secret, text));
    if (!found.includes(true)) return null;
    const generation = this.#generation;
    const isCurrent = (): boolean => generation === this.#generation;
    return {
      get isCurrent() {
        return isCurrent();
      },
    };
  }
}
