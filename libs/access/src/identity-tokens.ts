import type { JWTPayload } from 'jose';
import type { Clock, RoleGrant } from '#ports';
import { plainLine } from '#wording';
import { IssuerKeys, IssuerUnavailable, type IssuerKeysOptions } from './issuer-keys.js';
import type { Principal } from './principal.js';
import { grantedBy } from './token-roles.js';

/** Whose tokens are taken, and what they give. */
export interface IdentityTokensOptions extends IssuerKeysOptions {
  readonly audience: string;
  /** The claim with the roles; dots lead into objects. */
  readonly rolesClaim: string;
  /** Which role a value of the claim gives; null: the claim names our roles. */
  readonly grants: readonly RoleGrant[] | null;
  readonly clock: Pick<Clock, 'monotonic' | 'now'>;
}

/** Somebody is known, and has no role here. */
export class NoRoleGiven extends Error {
  override readonly name = 'NoRoleGiven';
}

/** None that is symmetric: whoever can check a token must not be able to make one. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** How far the clocks of the issuer and of this deployment may differ, in seconds. */
const SKEW_S = 60;
const SKEW_MS = SKEW_S * 1_000;
const TOKEN_MAX = 8_192;
const SUBJECT_MAX = 120;
/** Whole characters, never half of one. */
const NAME_START = /^.{1,40}/su;
const PRINCIPAL = /^[\x21-\x7e]+$/;
/** Claims that may hold a name that people know somebody by, the best one first. */
const NAMES = ['preferred_username', 'email', 'name', 'client_id', 'azp'];

/** Tells of the tokens of an OpenID Connect issuer whose they are. */
export class IdentityTokens {
  private readonly keys: IssuerKeys;

  constructor(private readonly options: IdentityTokensOptions) {
    this.keys = new IssuerKeys(options);
  }

  /**
   * Whose token this is; null: it is none that is taken. Throws `NoRoleGiven` where its owner has
   * no role here, and `IssuerUnavailable` where nothing can be said of any token.
   */
  async find(text: string): Promise<Principal | null> {
    if (text.length > TOKEN_MAX) return null;
    const claims = await this.verify(text);
    return claims === null ? null : this.principalOf(claims);
  }

  /** Whether keys of the issuer are at hand; where they are not, they are looked for meanwhile. */
  get isReady(): boolean {
    return this.keys.isReady;
  }

  private async verify(text: string): Promise<JWTPayload | null> {
    const { audience, clock, issuer } = this.options;
    // Loaded when it is used: most processes take no tokens.
    const { jwtVerify } = await import('jose');
    try {
      const { payload } = await jwtVerify(text, this.keys.find, {
        algorithms: ALGORITHMS,
        audience,
        issuer,
        clockTolerance: SKEW_S,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', 'sub'],
      });
      return payload;
    } catch (error) {
      if (error instanceof IssuerUnavailable) throw error;
      return null;
    }
  }

  private principalOf(claims: JWTPayload): Principal | null {
    const { grants, issuer, rolesClaim } = this.options;
    const { exp, sub } = claims;
    // The actor of everything that is done: what cannot be shown as it is, is nobody.
    if (sub === undefined || exp === undefined) return null;
    if (sub.length > SUBJECT_MAX || !PRINCIPAL.test(sub)) return null;
    const granted = grantedBy(claims, rolesClaim, grants);
    if (granted === null) throw new NoRoleGiven(`the claim ${rolesClaim} gives no role here`);
    return {
      ...granted,
      name: nameOf(claims, sub),
      keyId: `${issuer}#${sub}`,
      goodUntil: exp * 1_000 + SKEW_MS,
    };
  }
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
