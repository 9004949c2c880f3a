import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, Server as TlsServer } from 'node:tls';
import type { Clock, Observer, Timer } from '#ports';
import { type Settings, SettingsError } from '#settings';
import { contextOptions, type TlsPair } from '#http-server';

/** How often the files are looked at: links of a mounted secret tell no watcher of their change. */
const LOOK_EVERY_MS = 5_000;

/** The bits of a file's mode by which others than its owner and group get at it. */
const BY_OTHERS = 0o007;

/** Where certificate and key are, and the authorities of clients; null: none are asked for any. */
interface TlsPlaces {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | null;
}

/** The files that settings name; null: plain HTTP. */
export function tlsPlacesOf({
  tlsCert: cert,
  tlsClientCa: clientCa,
  tlsKey: key,
}: Pick<Settings, 'tlsCert' | 'tlsClientCa' | 'tlsKey'>): TlsPlaces | null {
  return cert === null || key === null ? null : { cert, key, clientCa };
}

/** The server to follow the files with. */
interface Followed {
  readonly server: unknown;
  /** Others vouch for clients from now on. */
  readonly onAuthorities: () => void;
}

/** The authorities of clients cannot be used. */
class WrongAuthorities extends Error {}

/**
 * Certificate and key as files, and the authorities of clients. Throws a `SettingsError` where they
 * cannot be used.
 */
export class TlsFiles {
  readonly pair: TlsPair;
  #timer: Timer | null = null;
  /** The content that was read last, whether it could be used or not. */
  #seen: TlsPair;
  /** The content that connections get. */
  #used: TlsPair;
  /** Why the files could not be used when they were read last; empty: they could. */
  #told = '';

  constructor(
    private readonly places: TlsPlaces,
    private readonly parts: {
      readonly clock: Pick<Clock, 'after'>;
      readonly observer: Pick<Observer, 'noticed'>;
    },
  ) {
    try {
      this.pair = this.#read();
      checkContext(this.pair);
    } catch (error) {
      const pair = 'BACKSTEP_TLS_CERT and BACKSTEP_TLS_KEY';
      const setting = error instanceof WrongAuthorities ? 'BACKSTEP_TLS_CLIENT_CA' : pair;
      throw new SettingsError([`${setting}: ${(error as Error).message}`]);
    }
    this.#seen = this.pair;
    this.#used = this.pair;
    this.#warnOfReaders();
  }

  /**
   * Gives new connections of a server the files' newest content. Content that cannot be used is
   * reported once as `tls_not_reloaded`, and the server keeps what it has: the two files seldom
   * change at once.
   */
  follow(followed: Followed): void {
    const { server } = followed;
    if (!(server instanceof TlsServer)) return;
    this.#timer = this.parts.clock.after(LOOK_EVERY_MS, () => {
      this.#look(server, followed);
      this.follow(followed);
    });
  }

  /** Looks no more. Safe to call twice. */
  stop(): void {
    this.#timer?.cancel();
  }

  /** A note for everybody where the files cannot be used as they are now. */
  notes(): readonly string[] {
    return this.#told === '' ? [] : [UNUSABLE];
  }

  #look(server: TlsServer, { onAuthorities }: Followed): void {
    const seen = this.#seen;
    try {
      const now = this.#read();
      if (isSame(now, this.#used)) this.#told = '';
      if (isSame(now, seen)) return;
      this.#seen = now;
      checkContext(now);
      server.setSecureContext(contextOptions(now));
      this.#told = '';
      if (!isSamePart(now.cert, this.#used.cert)) this.#tellReloaded(this.places.cert, CERT);
      if (!isSamePart(now.clientCa, this.#used.clientCa)) {
        onAuthorities();
        this.#tellReloaded(this.places.clientCa ?? '', AUTHORITIES);
      }
      this.#used = now;
    } catch (error) {
      const message = `Certificates and authorities stay as they were: ${(error as Error).message}`;
      if (message === this.#told) return;
      this.#told = message;
      this.parts.observer.noticed({ level: 'warn', name: 'tls_not_reloaded', message });
    }
  }

  #tellReloaded(file: string, meaning: string): void {
    const message = `${file} has changed: ${meaning}.`;
    this.parts.observer.noticed({ level: 'info', name: 'tls_reloaded', message });
  }

  /** Only a warning: Kubernetes mounts secrets for everybody in the container to read. */
  #warnOfReaders(): void {
    const { key } = this.places;
    if ((statSync(key).mode & BY_OTHERS) === 0) return;
    const message = `Every user of this machine may read the key in ${key}: chmod o= ${key}`;
    this.parts.observer.noticed({ level: 'warn', name: 'unsafe_setting', message });
  }

  #read(): TlsPair {
    const { cert, clientCa, key } = this.places;
    const pair = { cert: readFileSync(cert), key: readFileSync(key) };
    return clientCa === null ? pair : { ...pair, clientCa: readAuthorities(clientCa) };
  }
}

const UNUSABLE =
  'the files of BACKSTEP_TLS_CERT and BACKSTEP_TLS_KEY cannot be used as they are now: connections ' +
  'get what was read last, and a restart would fail';
const CERT = 'new connections get the new certificate';
const AUTHORITIES = 'clients are checked with the new authorities';

/** Throws where the key is not that of the certificate. */
function checkContext(pair: TlsPair): void {
  createSecureContext(contextOptions(pair));
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Throws `WrongAuthorities` where there is none, or one that cannot be read: OpenSSL would pass it
 * over, and nobody would know why clients are refused.
 */
function readAuthorities(file: string): Buffer {
  try {
    const bytes = readFileSync(file);
    const found = bytes.toString('latin1').match(CERTIFICATES) ?? [];
    const certificates = found.map((text) => new X509Certificate(text));
    if (certificates.length === 0) throw new Error(`${file} has no certificate in PEM`);
    return bytes;
  } catch (error) {
    throw new WrongAuthorities((error as Error).message, { cause: error });
  }
}

function isSame(one: TlsPair, other: TlsPair): boolean {
  const isSamePair = one.cert.equals(other.cert) && one.key.equals(other.key);
  return isSamePair && isSamePart(one.clientCa, other.clientCa);
}

function isSamePart(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}
