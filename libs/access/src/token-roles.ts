import { type Role, type RoleGrant, ROLES } from '#ports';
import type { Limits } from './principal.js';

/** The rights that a token gives its holder. */
interface Granted extends Limits {
  readonly role: Role;
}

/** How roles follow from the claims of a token. */
export interface RoleRules {
  /** The claim with the roles; dots lead into objects. */
  readonly rolesClaim: string;
  /** Which role a value of the claim gives; null: the claim names our roles. */
  readonly grants: readonly RoleGrant[] | null;
}

const UNLIMITED: Limits = { flows: null, labels: null, modules: null };

/** Of several roles in one token the first of these counts. */
const STRONGEST_FIRST: readonly Role[] = [...ROLES].reverse();

/** The values of the roles claim that may give a role, the one that counts first. */
export function rolesIn(
  claims: Readonly<Record<string, unknown>>,
  { grants, rolesClaim }: RoleRules,
): readonly string[] {
  const values = new Set(valuesOf(claimAt(claims, rolesClaim)));
  const known = grants === null ? STRONGEST_FIRST : grants.map(({ value }) => value);
  return known.filter((value) => values.has(value));
}

/**
 * The role, and its limits, that values of the roles claim give; null: none. Without `grants` they
 * name our roles, and the strongest counts; with them, the first grant whose value is there.
 */
export function grantedBy(
  values: readonly string[],
  grants: readonly RoleGrant[] | null,
): Granted | null {
  if (grants === null) {
    const role = STRONGEST_FIRST.find((known) => values.includes(known));
    return role === undefined ? null : { role, ...UNLIMITED };
  }
  const grant = grants.find(({ value }) => values.includes(value));
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
