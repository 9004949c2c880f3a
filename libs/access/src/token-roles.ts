import type { Role, RoleGrant } from '#ports';
import type { Limits } from './principal.js';
import { ROLES } from './roles.js';

/** The rights that a token gives its holder. */
interface Granted extends Limits {
  readonly role: Role;
}

const UNLIMITED: Limits = { flows: null, labels: null, modules: null };

/** Of several roles in one token the first of these counts. */
const STRONGEST_FIRST: readonly Role[] = [...ROLES].reverse();

/**
 * The role, and its limits, that the claims of a token give; null: none. Without `grants` the claim
 * names our roles, and the strongest counts; with them, the first grant whose value is in it.
 */
export function grantedBy(
  claims: Readonly<Record<string, unknown>>,
  path: string,
  grants: readonly RoleGrant[] | null,
): Granted | null {
  const values = new Set(valuesOf(claimAt(claims, path)));
  if (grants === null) {
    const role = STRONGEST_FIRST.find((known) => values.has(known));
    return role === undefined ? null : { role, ...UNLIMITED };
  }
  const grant = grants.find(({ value }) => values.has(value));
  if (grant === undefined) return null;
  const { flows, labels, modules, role } = grant;
  return { role, flows, labels, modules };
}

/** A claim of exactly this name, such as one that is a URL; else the way that its dots lead. */
function claimAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    return (at as Readonly<Record<string, unknown>>)[name];
  }, claims);
}

/** A list of texts, or one text with spaces between its words. */
function valuesOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(/\s+/);
  if (!Array.isArray(claim)) return [];
  return claim.filter((value): value is string => typeof value === 'string');
}
