import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContext, Server as TlsServer } from 'node:tls';
import type { Clock, Observer, Timer } from '#ports';
import { type Settings, SettingsError } from '#settings';
import type { TlsPair } from '#http-server';

/** How often the files are looked at: links of a mounted secret tell no watcher of their change. */
const LOOK_EVERY_MS = 5_000;

/** The bits of a file's mode by which others than its owner and group get at it. */
const BY_OTHERS = 0o007;

/** Where certificate and key are. */
interface TlsPlaces {
  readonly cert: string;
  readonly key: string;
}

/** The files that settings name; null: plain HTTP. */
export function tlsPlacesOf({
  tlsCert,
  tlsKey,
}: Pick<Settings, 'tlsCert' | 'tlsKey'>): TlsPlaces | null {
  return tlsCert === null || tlsKey === null ? null : { cert: tlsCert, key: tlsKey };
}

/** Certificate and key as files. Throws a `SettingsError` where they cannot be used. */
export class TlsFiles {
  readonly pair: TlsPair;
  #timer: Timer | null = null;
  /** The content that was read last, whether it could be used or not. */
  #seen: TlsPair;
  /** Why the files could not be used when they were read last. */
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
      contextOf(this.pair);
    } catch (error) {
      const { message } = error as Error;
      throw new SettingsError([`BACKSTEP_TLS_CERT and BACKSTEP_TLS_KEY: ${message}`]);
    }
    this.#seen = this.pair;
    this.#warnOfReaders();
  }

  /**
   * Gives new connections of a server the files' newest content. Content that cannot be used is
   * reported once as `tls_not_reloaded`, and the server keeps what it has: the two files seldom
   * change at once.
   */
  follow(server: unknown): void {
    if (!(server instanceof TlsServer)) return;
    this.#timer = this.parts.clock.after(LOOK_EVERY_MS, () => {
      this.#look(server);
      this.follow(server);
    });
  }

  /** Looks no more. Safe to call twice. */
  stop(): void {
    this.#timer?.cancel();
  }

  #look(server: TlsServer): void {
    const { noticed } = this.parts.observer;
    try {
      const now = this.#read();
      if (now.cert.equals(this.#seen.cert) && now.key.equals(this.#seen.key)) return;
      this.#seen = now;
      contextOf(now);
      server.setSecureContext(now);
      this.#told = '';
      const message = `${this.places.cert} has changed: new connections get the new certificate.`;
      noticed.call(this.parts.observer, { level: 'info', name: 'tls_reloaded', message });
    } catch (error) {
      const message = `The certificate is kept as it was: ${(error as Error).message}`;
      if (message === this.#told) return;
      this.#told = message;
      noticed.call(this.parts.observer, { level: 'warn', name: 'tls_not_reloaded', message });
    }
  }

  /** Only a warning: Kubernetes mounts secrets for everybody in the container to read. */
  #warnOfReaders(): void {
    const { key } = this.places;
    if ((statSync(key).mode & BY_OTHERS) === 0) return;
    const message = `Every user of this machine may read the key in ${key}: chmod o= ${key}`;
    this.parts.observer.noticed({ level: 'warn', name: 'unsafe_setting', message });
  }

  #read(): TlsPair {
    return { cert: readFileSync(this.places.cert), key: readFileSync(this.places.key) };
  }
}

/** Throws where the key is not that of the certificate. */
function contextOf(pair: TlsPair): SecureContext {
  return createSecureContext({ ...pair, minVersion: 'TLSv1.2' });
}
