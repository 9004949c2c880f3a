import type { JWTPayload } from 'jose';
import { plainLine } from '#wording';
import type { Principal } from './principal.js';
import { grantedBy, type RoleRules, rolesIn } from './token-roles.js';

/** Somebody as a token of an issuer tells of them. */
export interface Identity {
  readonly sub: string;
  /** The name that people see. */
  readonly name: string;
  /** The values of the roles claim that may give a role. */
  readonly roles: readonly string[];
}

/** The issuer that tells of people, and how their rights follow. */
export interface IdentityRules extends RoleRules {
  readonly issuer: string;
}

/** Somebody is known, and has no role here. */
export class NoRoleGiven extends Error {
  override readonly name = 'NoRoleGiven';
}

const SUBJECT_MAX = 120;
/** Whole characters, never half of one. */
const NAME_START = /^.{1,40}/su;
const PRINCIPAL = /^[\x21-\x7e]+$/;
/** Claims that may hold a name that people know somebody by, the best one first. */
const NAMES = ['preferred_username', 'email', 'name', 'client_id', 'azp'];

/** Returns the owner of a token; null: it names none that can be shown as it is. */
export function identityOf(claims: JWTPayload, rules: RoleRules): Identity | null {
  const { sub } = claims;
  // The actor of everything that is done: what cannot be shown as it is, is nobody.
  if (sub === undefined || sub.length > SUBJECT_MAX || !PRINCIPAL.test(sub)) return null;
  return { sub, name: nameOf(claims, sub), roles: rolesIn(claims, rules) };
}

/**
 * Returns somebody with the rights that the rules give; `goodUntil` in milliseconds since 1970.
 * Throws `NoRoleGiven` where they give none.
 */
export function principalOf(
  { name, roles, sub }: Identity,
  { grants, issuer, rolesClaim }: IdentityRules,
  goodUntil: number,
): Principal {
  const granted = grantedBy(roles, grants);
  if (granted === null) throw new NoRoleGiven(`the claim ${rolesClaim} gives no role here`);
  return { ...granted, name, keyId: `${issuer}#${sub}`, goodUntil };
}

/**
 * The name that people see. Some issuers let people choose their names, so the subject stands
 * beside it: no key has such a name, and no two people of an issuer.
 */
function nameOf(claims: JWTPayload, sub: string): string {
  const said = NAMES.map((name) => claims[name]).find(
    (value): value is string => typeof value === 'string' && value.trim() !== '',
  );
  const plain = plainLine(said ?? '')
    .replaceAll(/[()]/g, '')
    .trim();
  const readable = NAME_START.exec(plain)?.[0] ?? '';
  return readable === '' || readable === sub ? `(${sub})` : `${readable} (${sub})`;
}
