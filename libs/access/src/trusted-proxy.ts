import { isShownName } from './actor-name.js';
import type { AccessRules } from './bindings.js';
import type { Principal } from './principal.js';
import { isSameSecret } from './same-secret.js';
import { vouchedFor } from './vouched-for.js';

/** The members of a request that a proxy has set. */
export interface SaidByProxy {
  readonly secret: string;
  /** The person who sends the request; null: the proxy names nobody. */
  readonly actor: string | null;
  /** The groups of that person, with commas between them; one with commas is in double quotes. */
  readonly groups: string;
}

/** Long enough that nobody guesses it; and what a header carries as it is. */
const SECRET = /^[\x21-\x7e]{32,1000}$/;

/** The one in use, and the one that takes its place or had it before. */
const SECRETS_MAX = 2;

/** A secret that was shown, and whether those that count have not been cut since. */
interface ShownSecret {
  readonly isCurrent: boolean;
}

/** The secret of a proxy is none that counts. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
}

/** The name that a trusted proxy has sent cannot be one. */
export class UnfitActor extends Error {
  override readonly name = 'UnfitActor';
}

/** The groups that a trusted proxy has sent cannot be told apart. */
export class UnfitGroups extends Error {
  override readonly name = 'UnfitGroups';
}

/** Knows people by a proxy that has authenticated them. */
export class TrustedProxy {
  constructor(
    private readonly options: {
      readonly secrets: Pick<ProxySecrets, 'find'>;
      readonly rules: Pick<AccessRules, 'rightsOf'>;
    },
  ) {}

  /**
   * Returns the person that a proxy vouches for; null: it names nobody. Throws `ProxyRefused` for a
   * secret that does not count, `UnfitActor` for what cannot be a name, `UnfitGroups` for groups
   * that cannot be told apart, and `NoRoleGiven` where the person has no role here, or has the name
   * of a part of Backstep.
   */
  find({ actor, groups, secret }: SaidByProxy): Principal | null {
    const shown = this.options.secrets.find(secret);
    if (shown === null) throw new ProxyRefused();
    if (actor === null) return null;
    // A comma stands between two headers that were joined, one of which the client may have sent.
    if (!isShownName(actor) || actor.includes(',')) throw new UnfitActor();
    const vouched = { by: 'proxy', name: actor, groups: groupsIn(groups) } as const;
    return { ...vouchedFor(vouched, this.options.rules), shown };
  }
}

/** A name in double quotes, as RFC 9651 writes strings, and what ends it. */
const QUOTED = /"((?:[^"\\]|\\["\\])*)"[ \t]*(?:,|$)/y;

function groupsIn(text: string): readonly string[] {
  const groups: string[] = [];
  for (let rest = text.trim(); rest !== ''; rest = rest.trimStart()) {
    QUOTED.lastIndex = 0;
    const quoted = QUOTED.exec(rest);
    const end = rest.indexOf(',');
    const plain = end === -1 ? rest : rest.slice(0, end);
    if (quoted === null && plain.includes('"')) throw new UnfitGroups();
    groups.push(quoted?.[1]?.replaceAll(/\\(.)/g, '$1') ?? plain.trim());
    rest = rest.slice(quoted === null ? plain.length + 1 : quoted[0].length);
  }
  return groups.filter((group) => group !== '');
}

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
