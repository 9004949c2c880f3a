import type { JWTPayload } from 'jose';
import type { Clock } from '#ports';
import {
  type Identity,
  identityOf,
  type IdentityRules,
  NoRoleGiven,
  principalOf,
} from './identity.js';
import { Issuer, type IssuerOptions, IssuerUnavailable, type SignInPlaces } from './issuer.js';
import type { Principal } from './principal.js';
import { refusalOf, RefusedTokens, type ShownToken, TokenRefused } from './token-refused.js';

/** The issuer whose tokens are taken, and how roles follow from their claims. */
export interface IdentityTokensOptions extends IssuerOptions, IdentityRules {
  readonly audience: string;
  readonly clock: Pick<Clock, 'monotonic' | 'now'>;
}

/** The members that the ID token of a person who signs in must have. */
interface SignInProof {
  /** The client that people sign in to. */
  readonly clientId: string;
  readonly nonce: string;
}

/** None that is symmetric: a checker of tokens must not be able to make one. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** How far the clocks of the issuer and of this deployment may differ, in seconds. */
const SKEW_S = 60;
const SKEW_MS = SKEW_S * 1_000;
const TOKEN_MAX = 8_192;
/** Three parts; of a token without a signature the last one is empty. */
const TOKEN_FORM = /^[\w-]+\.[\w-]+\.[\w-]*$/;
/** An ID token comes from the issuer itself, and may list many groups. */
const ID_TOKEN_MAX = 65_536;

/** Tells of the tokens of an OpenID Connect issuer whose they are. */
export class IdentityTokens {
  private readonly issuer: Issuer;
  private readonly refused: RefusedTokens;

  constructor(private readonly options: IdentityTokensOptions) {
    this.issuer = new Issuer(options);
    this.refused = new RefusedTokens(options);
  }

  /**
   * Returns the owner of the token; null: the text is no token at all. Throws `TokenRefused` where
   * it is one that is not accepted, `NoRoleGiven` where its owner has no role here, and
   * `IssuerUnavailable` where nothing can be said of it.
   */
  async find(text: string): Promise<Principal | null> {
    if (text.length > TOKEN_MAX || !TOKEN_FORM.test(text)) return null;
    const claims = await this.verify(text, this.options.audience);
    const identity = identityOf(claims, this.options);
    if (identity === null || claims.exp === undefined) throw new TokenRefused('subject');
    try {
      return principalOf(identity, this.options, claims.exp * 1_000 + SKEW_MS);
    } catch (error) {
      if (error instanceof NoRoleGiven) {
        this.refused.tellNoRole(this.options.rolesClaim, identity.roles);
      }
      throw error;
    }
  }

  /**
   * Returns the person whom an ID token is about; null: it is not the one of this sign-in. Throws
   * `TokenRefused` and `IssuerUnavailable`.
   */
  async findSignedIn(text: string, { clientId, nonce }: SignInProof): Promise<Identity | null> {
    if (text.length > ID_TOKEN_MAX) return null;
    const claims = await this.verify(text, clientId);
    if (claims['nonce'] !== nonce) return null;
    return isFor(claims, clientId) ? identityOf(claims, this.options) : null;
  }

  /** Where people sign in. Throws `IssuerUnavailable`. */
  places(): Promise<SignInPlaces> {
    return this.issuer.places();
  }

  /** Whether keys of the issuer are at hand; where they are not, they are looked for meanwhile. */
  get isReady(): boolean {
    return this.issuer.isReady;
  }

  private async verify(text: string, audience: string): Promise<JWTPayload> {
    const { clock, issuer, subjectClaim = 'sub' } = this.options;
    // Loaded when it is used: most processes take no tokens.
    const { decodeJwt, decodeProtectedHeader, jwtVerify } = await import('jose');
    try {
      const { payload } = await jwtVerify(text, this.issuer.find, {
        algorithms: ALGORITHMS,
        audience,
        issuer,
        clockTolerance: SKEW_S,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', subjectClaim],
      });
      return payload;
    } catch (error) {
      if (error instanceof IssuerUnavailable) throw error;
      const shown = shownIn(text, { decodeJwt, decodeProtectedHeader });
      const refusal = refusalOf(error, shown, { audience, issuer });
      this.refused.tell(refusal, audience, shown);
      throw refusal;
    }
  }
}

type Decoders = Pick<typeof import('jose'), 'decodeJwt' | 'decodeProtectedHeader'>;

/** The claims of a refused token, and its key; nothing where it cannot be read. */
function shownIn(text: string, { decodeJwt, decodeProtectedHeader }: Decoders): ShownToken {
  try {
    return { claims: decodeJwt(text), kid: decodeProtectedHeader(text).kid };
  } catch {
    return { claims: {}, kid: undefined };
  }
}

/** A token for several clients names the one that it was given to. */
function isFor({ aud, azp }: JWTPayload, clientId: string): boolean {
  if (azp === undefined) return !Array.isArray(aud) || aud.length === 1;
  return azp === clientId;
}
