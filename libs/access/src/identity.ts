import type { JWTPayload } from 'jose';
import { plainLine } from '#wording';
import type { AccessRules } from './bindings.js';
import { boundPerson, type Principal } from './principal.js';

/** A person as a token of an issuer describes them. */
export interface Identity {
  /** The value of the claim that names them. */
  readonly sub: string;
  /** The name that people see. */
  readonly name: string;
  /** The values of the roles claim. */
  readonly roles: readonly string[];
}

/** The issuer that tells of people, and how their rights follow. */
export interface IdentityRules {
  readonly issuer: string;
  /** The claim that names a person. Default: `sub`. */
  readonly subjectClaim?: string;
  /**
   * The audience of the tokens, where another one may know the same person by another subject.
   * Absent or null: subjects are the same for all audiences.
   */
  readonly boundTo?: string | null;
  /** The claim with the roles; dots lead into objects. */
  readonly rolesClaim: string;
  readonly rules: Pick<AccessRules, 'groupsThatCount' | 'rightsOf'>;
}

/** The person is known, and has no role here; the message is a clause for people. */
export class NoRoleGiven extends Error {
  override readonly name = 'NoRoleGiven';

  constructor(
    message: string,
    /** The one who names them. */
    readonly shown: 'certificate' | 'proxy' | 'token' = 'token',
  ) {
    super(message);
  }
}

const SUBJECT_MAX = 120;
/** Whole characters, never half of one. */
const NAME_START = /^.{1,40}/su;
const PRINCIPAL = /^[\x21-\x7e]+$/;
/** Claims that may hold a name that people know a person by, the best one first. */
const NAMES = ['preferred_username', 'email', 'name', 'client_id', 'azp'];

/** Returns the owner of a token; null: it names none by a text that can be shown as it is. */
export function identityOf(
  claims: JWTPayload,
  { rolesClaim, subjectClaim = 'sub' }: Pick<IdentityRules, 'rolesClaim' | 'subjectClaim'>,
): Identity | null {
  const sub = Object.hasOwn(claims, subjectClaim) ? claims[subjectClaim] : undefined;
  // The actor of everything that is done: what cannot be shown as it is, is nobody.
  if (typeof sub !== 'string' || sub.length > SUBJECT_MAX || !PRINCIPAL.test(sub)) return null;
  return { sub, name: nameOf(claims, sub), roles: rolesIn(claims, rolesClaim) };
}

/**
 * Returns a person with the rights that the rules give; `goodUntil` in milliseconds since 1970.
 * Throws `NoRoleGiven` where they give none.
 */
export function principalOf(
  { name, roles, sub }: Identity,
  { boundTo = null, issuer, rolesClaim, rules }: IdentityRules,
  goodUntil: number,
): Principal {
  const somebody = { way: 'oidc', subject: sub, groups: roles } as const;
  const rights = rules.rightsOf(somebody);
  if (rights === null) throw new NoRoleGiven(`the claim ${rolesClaim} gives no role here`);
  const keyId = `${issuer}#${sub}`;
  const bound = boundTo === null ? {} : { madeBy: boundPerson(keyId, boundTo) };
  return { ...rights, name, keyId, ...bound, goodUntil, somebody };
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

/**
 * The values of the claim that names roles or groups, each once; dots in `path` lead into objects.
 */
export function rolesIn(
  claims: Readonly<Record<string, unknown>>,
  path: string,
): readonly string[] {
  return [...new Set(valuesOf(claimAt(claims, path)))];
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
  if (typeof claim === 'string') return claim.split(/\s+/).filter((word) => word !== '');
  if (!Array.isArray(claim)) return [];
  return claim.filter((value): value is string => typeof value === 'string');
}
