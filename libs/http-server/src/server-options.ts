import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { FastifyHttpOptions, FastifyHttpsOptions } from 'fastify';

/** A certificate chain and its private key, PEM. */
export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The authorities that sign certificates of clients, PEM. Absent: clients are asked for none. */
  readonly clientCa?: Buffer;
}

/** Longest agreement on keys: a connection that says nothing is let go of. */
const HANDSHAKE_MS = 10_000;

type ServerOptions =
  | Pick<FastifyHttpOptions<HttpServer>, 'http'>
  | Pick<FastifyHttpsOptions<HttpsServer>, 'https'>;

/** Options of Fastify for Node's own server: in clear, or with a certificate. */
export function serverOptions(tls: TlsPair | undefined): ServerOptions {
  // Else of two headers where one belongs, such as `Host`, one would silently be dropped; and where
  // it is missing, Node would answer without a word.
  const joined = { joinDuplicateHeaders: true, requireHostHeader: false };
  if (tls === undefined) return { http: joined };
  const asked = tls.clientCa === undefined ? {} : ASKED;
  const handshakeTimeout = HANDSHAKE_MS;
  return { https: { ...joined, ...asked, ...contextOptions(tls), handshakeTimeout } };
}

/**
 * A client that shows none, or a wrong one, is answered: probes have none, and others have a key.
 */
const ASKED = { requestCert: true, rejectUnauthorized: false } as const;

/** Options of a secure context, also of one that takes the place of another. */
export function contextOptions({ cert, clientCa, key }: TlsPair): SecureContextOptions {
  const authorities = clientCa === undefined ? {} : { ca: clientCa };
  return { cert, key, ...authorities, minVersion: 'TLSv1.2' };
}
