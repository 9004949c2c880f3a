import type { JWTPayload } from 'jose';
import type { Clock, Observer } from '#ports';
import { plainLine } from '#wording';

/** Kinds of reasons why a token of an issuer is not accepted, each with a clause for people. */
const FAULTS = {
  audience: 'it is for another audience',
  issuer: 'it is from another issuer',
  expired: 'it has expired',
  'not yet valid': 'it is not valid yet',
  signature: 'its signature is wrong, or of a kind that is not accepted',
  'unknown key': 'it is signed with a key that the issuer does not publish',
  subject: 'it names no subject that can be an actor',
  form: 'it is no token, or too long, or lacks a claim',
} as const;

/** Why a token is not accepted, in one or two words. */
export type TokenFault = keyof typeof FAULTS;

/** A token is not accepted. The message is a clause for the caller, and repeats nothing of it. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';

  constructor(
    readonly fault: TokenFault,
    options?: ErrorOptions,
  ) {
    super(FAULTS[fault], options);
  }
}

/** The claims of a token, as far as it has any; nobody has vouched for them. */
export interface ShownToken {
  readonly claims: JWTPayload;
  readonly kid: unknown;
}

/** The issuer and audience that are expected. */
interface Expected {
  readonly issuer: string;
  readonly audience: string;
}

/** An error of `jose`, as far as it is looked at. */
interface JoseError {
  readonly code?: string;
  readonly claim?: string;
}

const BY_CODE: Readonly<Record<string, TokenFault>> = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JOSE_ALG_NOT_ALLOWED: 'signature',
  ERR_JWKS_NO_MATCHING_KEY: 'unknown key',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'unknown key',
};
const BY_CLAIM: Readonly<Record<string, TokenFault>> = {
  aud: 'audience',
  iss: 'issuer',
  nbf: 'not yet valid',
};

/**
 * The refusal for an error of `jose`. A token of another issuer is mostly signed with a
 * key that nobody knows here, and that says less than whose it is.
 */
export function refusalOf(cause: unknown, shown: ShownToken, expected: Expected): TokenRefused {
  const { claim = '', code = '' } = cause as JoseError;
  const fault = BY_CODE[code] ?? BY_CLAIM[claim] ?? 'form';
  const isOthers = fault === 'unknown key' || fault === 'signature';
  const { iss } = shown.claims;
  const isForeign = isOthers && typeof iss === 'string' && iss !== expected.issuer;
  return new TokenRefused(isForeign ? 'issuer' : fault, { cause });
}

/** Characters of what a token says that a line of the log repeats. */
const SHOWN_MAX = 200;
/** The same kind of refusal is told at most so often. */
const TELL_EVERY_MS = 60_000;

/** Tells the log why tokens are refused, in few lines: anybody can send wrong ones. */
export class RefusedTokens {
  /** By the monotonic clock. */
  private readonly toldAt = new Map<string, number>();

  constructor(
    private readonly parts: Expected & {
      readonly clock: Pick<Clock, 'monotonic'>;
      readonly observer: Pick<Observer, 'noticed'>;
    },
  ) {}

  /** Tells what was expected, and what the token says instead. */
  tell(refusal: TokenRefused, audience: string, { claims, kid }: ShownToken): void {
    const { fault, message } = refusal;
    const said: Partial<Record<TokenFault, readonly [expected: unknown, given: unknown]>> = {
      audience: [audience, claims.aud],
      issuer: [this.parts.issuer, claims.iss],
      'unknown key': ['a key of the issuer', kid],
    };
    const [expected, given] = said[fault] ?? [];
    const more = expected === undefined ? '' : `; expected ${say(expected)}, given ${say(given)}`;
    this.notice(fault, `a token was refused (${fault}): ${message}${more}`);
  }

  /** Tells that a good token gives no rights. */
  tellNoRole(claim: string, given: readonly string[]): void {
    const what = given.length === 0 ? 'the token has none there' : `given ${say(given)}`;
    this.notice('no role', `a token was refused (no role): the claim ${claim} gives none; ${what}`);
  }

  private notice(kind: string, message: string): void {
    const { clock, observer } = this.parts;
    const now = clock.monotonic();
    if (now - (this.toldAt.get(kind) ?? -Infinity) < TELL_EVERY_MS) return;
    this.toldAt.set(kind, now);
    observer.noticed({ level: 'warn', name: 'token_refused', message });
  }
}

function say(value: unknown): string {
  return plainLine(JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_MAX);
}
