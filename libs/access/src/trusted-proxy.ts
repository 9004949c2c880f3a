import { isShownName } from './actor-name.js';
import type { AccessRules } from './bindings.js';
import type { Principal } from './principal.js';
import type { ProxySecrets } from './proxy-secrets.js';
import { vouchedFor } from './vouched-for.js';

/** The members of a request that a proxy has set. */
export interface SaidByProxy {
  readonly secret: string;
  /** The person who sends the request; null: the proxy names nobody. */
  readonly actor: string | null;
  /** The groups of that person, with commas between them; one with commas is in double quotes. */
  readonly groups: string;
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
