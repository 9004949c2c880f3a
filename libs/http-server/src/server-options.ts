import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { FastifyHttpOptions, FastifyHttpsOptions } from 'fastify';

/** A certificate chain and its private key, PEM. */
export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Longest agreement on keys: a connection that says nothing is let go of. */
const HANDSHAKE_MS = 10_000;

type ServerOptions =
  Pick<FastifyHttpOptions<HttpServer>, 'http'> | Pick<FastifyHttpsOptions<HttpsServer>, 'https'>;

/** Options of Fastify for Node's own server: in clear, or with a certificate. */
export function serverOptions(tls: TlsPair | undefined): ServerOptions {
  // Else of two headers where one belongs, such as `Host`, one would silently be dropped.
  const joined = { joinDuplicateHeaders: true };
  if (tls === undefined) return { http: joined };
  const handshakeTimeout = HANDSHAKE_MS;
  return { https: { ...joined, ...tls, minVersion: 'TLSv1.2', handshakeTimeout } };
}
