import type { JSONWebKeySet, JWSHeaderParameters, JWTVerifyGetKey } from 'jose';
import type { Clock, Observer } from '#ports';

/** Options of reading what an issuer publishes. */
export interface IssuerOptions {
  /** As its tokens name it, and its discovery document. */
  readonly issuer: string;
  /** Reads the JSON at an address; rejects where there is none, or nobody answers in time. */
  readonly readJson: (url: string) => Promise<unknown>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly observer: Pick<Observer, 'noticed'>;
}

/** The issuer does not answer, and what it would say is not known from before. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Keys that were read so long ago are read again, while the ones at hand are still believed. */
const FRESH_MS = 600_000;
/** Keys are read at most so often. */
const GAP_MS = 30_000;
/** And as long as there are none. */
const GAP_WITHOUT_MS = 2_000;
/** Keys of one issuer; more are not looked at. */
const KEYS_MAX = 100;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The addresses at which people sign in. */
export interface SignInPlaces {
  /** People are sent there. */
  readonly authorization: string;
  /** Codes become tokens there. */
  readonly token: string;
  /** Whether the client shows its secret in a header there, and not in the form. */
  readonly takesBasic: boolean;
}

interface Known {
  readonly find: JWTVerifyGetKey;
  /** Null: its document names none that are safe. */
  readonly places: SignInPlaces | null;
  readonly readAt: number;
}

/**
 * An issuer, as its discovery document tells of it: its public keys, and where people sign in. They
 * are kept when the issuer is away: those that were read last are good until others are read.
 */
export class Issuer {
  private known: Known | null = null;
  private triedAt = -Infinity;
  /** The latest attempt to read keys did not succeed. */
  private isAway = false;
  private reading: Promise<void> | null = null;

  constructor(private readonly options: IssuerOptions) {}

  /** Whether keys are at hand; where they are not, they are looked for meanwhile. */
  get isReady(): boolean {
    if (this.known === null) void this.read();
    return this.known !== null;
  }

  /**
   * The key that a token says it was signed with. A name that nobody knows has the keys read again,
   * within the limits. Throws `IssuerUnavailable`, also where it cannot be known whether there is
   * such a key by now, or what `jose` says of a key that is not there.
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const known = await this.knownNow();
    try {
      return await known.find(header, token);
    } catch (error) {
      if (!isKeyMissing(error) || !isNamed(header)) throw error;
      await this.read();
      if (this.known === known) {
        if (!this.isAway) throw error;
        throw new IssuerUnavailable('the issuer may have a new key, and does not answer');
      }
      return this.known?.find(header, token) ?? known.find(header, token);
    }
  };

  /** Where people sign in. Throws `IssuerUnavailable`, also where no such place is named. */
  async places(): Promise<SignInPlaces> {
    const { places } = await this.knownNow();
    if (places === null) throw new IssuerUnavailable('the issuer names no addresses to sign in at');
    return places;
  }

  private async knownNow(): Promise<Known> {
    if (this.known === null) await this.read();
    else if (this.ageOf(this.known.readAt) >= FRESH_MS) void this.read();
    if (this.known === null) throw new IssuerUnavailable('the keys of the issuer cannot be read');
    return this.known;
  }

  /** Never rejects. One read at a time. */
  private read(): Promise<void> {
    if (this.reading !== null) return this.reading;
    const gap = this.known === null ? GAP_WITHOUT_MS : GAP_MS;
    if (this.ageOf(this.triedAt) < gap) return Promise.resolve();
    this.triedAt = this.options.clock.monotonic();
    this.reading = this.readNow().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readNow(): Promise<void> {
    const { clock, observer } = this.options;
    try {
      // Loaded when it is used: most processes take no tokens.
      const { createLocalJWKSet } = await import('jose');
      const document = await this.readDocument();
      const find = createLocalJWKSet(await this.readKeys(document));
      this.known = { find, places: placesIn(document), readAt: clock.monotonic() };
      this.isAway = false;
    } catch (error) {
      this.isAway = true;
      const kept =
        this.known === null ? 'none are known yet' : 'those that were read last are used';
      const message = `the keys of the token issuer cannot be read; ${kept}`;
      observer.noticed({ level: 'warn', name: 'issuer_unavailable', message, error });
    }
  }

  private async readDocument(): Promise<Members> {
    const { issuer, readJson } = this.options;
    const found = await readJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const document = membersOf(found);
    if (document['issuer'] !== issuer) {
      throw new Error('the discovery document is of another issuer');
    }
    return document;
  }

  private async readKeys({ jwks_uri: place }: Members): Promise<JSONWebKeySet> {
    if (!isSafe(place)) {
      throw new Error('the keys of the issuer are neither behind https nor on loopback');
    }
    const { keys } = membersOf(await this.options.readJson(place));
    if (!Array.isArray(keys)) throw new Error('the issuer has no list of keys');
    return { keys: keys.slice(0, KEYS_MAX) as JSONWebKeySet['keys'] };
  }

  private ageOf(at: number): number {
    return this.options.clock.monotonic() - at;
  }
}

function isKeyMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_JWKS_NO_MATCHING_KEY';
}

function isNamed({ kid }: JWSHeaderParameters): boolean {
  return kid !== undefined;
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Where a document says nothing of how clients show their secret, it is by a header. */
function placesIn(document: Members): SignInPlaces | null {
  const { authorization_endpoint: authorization, token_endpoint: token } = document;
  if (!isSafe(authorization) || !isSafe(token)) return null;
  const ways = document['token_endpoint_auth_methods_supported'];
  const takesBasic = !Array.isArray(ways) || ways.includes('client_secret_basic');
  return { authorization, token, takesBasic };
}

/** In clear only on this machine: an attacker who could change it could be anybody. */
function isSafe(text: unknown): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { hostname, protocol } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
