import { type Role, type RoleGrant, ROLES } from '#ports';
import type { NameKind } from './client-certificates.js';
import { fitsPattern } from './pattern.js';
import type { Limits } from './principal.js';

/** The ways by which a caller without a key is known, as `BACKSTEP_AUTH` has them. */
export type Way = 'mtls' | 'oidc' | 'proxy';

/** A caller whom a token, a certificate or a proxy names. */
export interface Somebody {
  readonly way: Way;
  /** The `sub` of the token, or the name in the certificate or from the proxy. */
  readonly subject: string;
  /** The kind of the name in a certificate; absent: it is from a token or a proxy. */
  readonly kind?: NameKind;
  /** The values of the token's roles claim, or those from the proxy; a certificate has none. */
  readonly groups: readonly string[];
}

/** The rights of a caller. */
interface Rights extends Limits {
  readonly role: Role;
}

/** Gives rights to everybody whom it fits. */
export interface Binding extends Rights {
  /** The part of a caller that `pattern` must fit: their subject, or one of their groups. */
  readonly to: 'group' | 'subject';
  readonly pattern: string;
  /** The way by which they must be known; null: any. */
  readonly way: Way | null;
}

const UNLIMITED: Limits = { flows: null, labels: null, modules: null };

/** Of several roles that a token names, the first of these counts. */
const STRONGEST_FIRST: readonly Role[] = [...ROLES].reverse();

/** The rules of tokens. Null: the values of the roles claim are names of our roles. */
export function bindingsOfClaims(grants: readonly RoleGrant[] | null): readonly Binding[] {
  const all = grants ?? STRONGEST_FIRST.map((role) => ({ value: role, role, ...UNLIMITED }));
  return all.map((grant) => bindingOf(grant, { to: 'group', way: 'oidc' }));
}

/** The rules of certificates, by the names in them. */
export function bindingsOfNames(grants: readonly RoleGrant[]): readonly Binding[] {
  return grants.map((grant) => bindingOf(grant, { to: 'subject', way: 'mtls' }));
}

function bindingOf({ value, ...rights }: RoleGrant, about: Pick<Binding, 'to' | 'way'>): Binding {
  return { ...rights, ...about, pattern: value };
}

/**
 * The rules by which people and programs without keys have rights: the first binding that fits
 * counts, and a caller whom none fits has no rights. They may be replaced while the process runs.
 */
export class AccessRules {
  #bindings: readonly Binding[];

  constructor(bindings: readonly Binding[]) {
    this.#bindings = bindings;
  }

  /** Other bindings count from now on. */
  replace(bindings: readonly Binding[]): void {
    this.#bindings = bindings;
  }

  /** The rights of a caller; null: none. */
  rightsOf(somebody: Somebody): Rights | null {
    const groups = new Set(somebody.groups);
    const found = this.#bindings.find((binding) => fits(binding, somebody, groups));
    if (found === undefined) return null;
    const { flows, labels, modules, role } = found;
    return { role, flows, labels, modules };
  }

  /** The groups of a token that give rights now, the one that counts first in front. */
  groupsThatCount(groups: readonly string[]): readonly string[] {
    const patterns = this.#bindings.filter(
      ({ to, way }) => to === 'group' && (way ?? 'oidc') === 'oidc',
    );
    const all = new Set(groups);
    return [...new Set(patterns.flatMap(({ pattern }) => groupsThatFit(pattern, all)))];
  }
}

/** Whether the rights that a caller was let in with are what the rules give now. */
export function isSameRights(one: Rights, other: Rights | null): boolean {
  return other !== null && textOf(one) === textOf(other);
}

function textOf({ flows, labels, modules, role }: Rights): string {
  return JSON.stringify([role, flows, labels, modules]);
}

function fits(binding: Binding, somebody: Somebody, groups: ReadonlySet<string>): boolean {
  const { pattern, to, way } = binding;
  if (way !== null && way !== somebody.way) return false;
  if (to === 'subject') return fitsSubject(pattern, somebody);
  return groupsThatFit(pattern, groups).length > 0;
}

const OF_KIND = /^(cn|dns|email|uri):(.+)$/;

/**
 * A pattern for a name in a certificate may begin with the kind that it is for. Another one is for
 * the kind that has its form: nobody gets the rights of a host by an e-mail address.
 */
function fitsSubject(pattern: string, { kind, subject }: Somebody): boolean {
  if (kind === undefined) return fitsPattern(pattern, subject);
  const [, wanted, rest = ''] = OF_KIND.exec(pattern) ?? [];
  if (wanted === kind) return fitsPattern(rest, subject);
  return isOfKind(pattern, kind) && fitsPattern(pattern, subject);
}

function isOfKind(pattern: string, kind: NameKind): boolean {
  if (/^\*+$/.test(pattern)) return true;
  if (pattern.includes('://')) return kind === 'uri';
  if (/[:/]/.test(pattern)) return kind === 'uri' || kind === 'cn';
  return kind === 'cn' || kind === (pattern.includes('@') ? 'email' : 'dns');
}

/** A token may have hundreds of groups, and most patterns are plain names. */
function groupsThatFit(pattern: string, groups: ReadonlySet<string>): readonly string[] {
  if (!pattern.includes('*')) return groups.has(pattern) ? [pattern] : [];
  return [...groups].filter((group) => fitsPattern(pattern, group));
}
