import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Callers, connectionEnd, type SignedParts } from '#access';
import { Problem } from './problems.js';

const SIGNED = /^Backstep +([\w.-]+) *$/i;

/** The signature that a request shows instead of a credential; null: it shows none. */
export function signatureOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  return SIGNED.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The parts of a request that its signature covers. */
export function signedPartsOf(request: FastifyRequest): SignedParts {
  const { headers, method, originalUrl } = request;
  const digest = headers['content-digest'];
  return {
    end: endOf(request),
    method,
    target: originalUrl,
    digest: typeof digest === 'string' ? digest : '',
  };
}

/**
 * The headers that show a client that this process knows the token of its machine, and with which
 * nonce to sign; none for a request without a challenge, or where no such token is taken.
 */
export function greetingFor(
  request: FastifyRequest,
  gate: Partial<Pick<Callers, 'greet'>>,
): Readonly<Record<string, string>> {
  const challenge = request.headers['x-backstep-challenge'];
  if (typeof challenge !== 'string') return {};
  const greeting = gate.greet?.({ challenge, end: endOf(request) }) ?? null;
  if (greeting === null) return {};
  return { 'x-backstep-nonce': greeting.nonce, 'x-backstep-proof': greeting.proof };
}

/** The problem that the body of a signed request is not the signed one; null: it is. */
export function bodyFault(request: FastifyRequest, body: Buffer): Problem | null {
  if (signatureOf(request) === null) return null;
  const digest = hash('sha256', body, 'base64');
  const expected = body.length === 0 ? '' : `sha-256=:${digest}:`;
  if (signedPartsOf(request).digest === expected) return null;
  return new Problem('UNAUTHENTICATED', 'The body is not the one that was signed.');
}

function endOf({ socket }: FastifyRequest): string {
  return connectionEnd(socket.localAddress, socket.localPort);
}
