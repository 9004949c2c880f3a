import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import type { ShownCertificate } from '#access';
import { farEndOf } from './connection-rooms.js';
import type { TlsPair } from './server-options.js';

/** The generation of a connection whose beginning is not known. */
const NEVER = -1;

/** Knows the certificates that clients have shown on the connections of a server. */
export class PeerCertificates {
  /** How often the authorities have changed. */
  #generation = 0;
  /** The generation of connections that have no keys yet, by the other end's address and port. */
  readonly #handshakes = new Map<string, number>();
  /** The generation in which a connection began: its certificate was checked with that one. */
  readonly #begun = new WeakMap<Socket, number>();
  readonly #shown = new WeakMap<Socket, ShownCertificate | null>();

  constructor(
    private readonly server: Server,
    tls: Pick<TlsPair, 'clientCa'> | undefined,
  ) {
    if (tls?.clientCa === undefined) return;
    server.on('connection', (socket: Socket) => {
      const end = farEndOf(socket);
      this.#handshakes.set(end, this.#generation);
      socket.once('close', () => this.#handshakes.delete(end));
    });
    server.on('secureConnection', (socket: Socket) => {
      this.#begun.set(socket, this.#handshakes.get(farEndOf(socket)) ?? NEVER);
    });
  }

  /** The certificate that was shown on a connection; null: none was. */
  of(socket: Socket): ShownCertificate | null {
    const known = this.#shown.get(socket);
    if (known !== undefined) return known;
    const shown = socket instanceof TLSSocket ? this.#read(socket) : null;
    this.#shown.set(socket, shown);
    return shown;
  }

  /**
   * Other authorities count from now on, so certificates that were checked with the old ones are
   * not current any more. Idle connections are ended; others are left to answer.
   */
  renew(): void {
    this.#generation += 1;
    this.server.closeIdleConnections();
  }

  #read(socket: TLSSocket): ShownCertificate | null {
    // A session that is taken up again may be called authorized although nothing was ever shown.
    const peer = socket.getPeerCertificate() as Partial<PeerCertificate> | null;
    const { subject, subjectaltname = '', valid_to: validTo = '' } = peer ?? {};
    if (subject === undefined) return null;
    const begun = this.#begun.get(socket);
    const isCurrent = (): boolean => begun === this.#generation;
    return {
      alternatives: subjectaltname,
      commonNames: [subject.CN ?? []].flat(),
      goodUntil: Date.parse(validTo),
      fault: socket.authorized ? null : String(socket.authorizationError),
      get isCurrent() {
        return isCurrent();
      },
    };
  }
}
