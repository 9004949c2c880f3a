import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** One sign-in on its way, as the browser that began it keeps it. */
interface Ticket {
  /** When it was begun, in milliseconds since 1970. */
  readonly at: number;
  /** 43 characters of base64url that nobody else knows. */
  readonly secret: string;
  /** The page of the console to come back to. */
  readonly returnTo: string;
}

/** The codes that a sign-in shows to the issuer; all of them follow from the ticket. */
export interface TicketCodes {
  /** Comes back with the code. */
  readonly state: string;
  /** Comes back in the ID token. */
  readonly nonce: string;
  /** Shows that the one who brings the code is the one who began (PKCE). */
  readonly verifier: string;
  readonly challenge: string;
}

const WRITTEN = /^(\d{1,15})\.([\w-]{43})\.([\w-]{0,2000})$/;

/** The ticket as a text that a cookie can hold. */
export function ticketText({ at, returnTo, secret }: Ticket): string {
  return `${at}.${secret}.${Buffer.from(returnTo).toString('base64url')}`;
}

/** Reads a ticket; null: it is none. */
export function readTicket(text: string): Ticket | null {
  const [, at, secret, returnTo] = WRITTEN.exec(text) ?? [];
  if (at === undefined || secret === undefined || returnTo === undefined) return null;
  return { at: Number(at), secret, returnTo: Buffer.from(returnTo, 'base64url').toString('utf8') };
}

/**
 * The codes of a ticket. Every one depends on all of it: of a ticket whose page or time was
 * changed, no state comes back.
 */
export function codesOf(ticket: Ticket): TicketCodes {
  const codeFor = (use: string): string => {
    const parts = JSON.stringify([use, ticket.at, ticket.returnTo]);
    return createHmac('sha256', ticket.secret).update(parts).digest('base64url');
  };
  const verifier = codeFor('verifier');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { state: codeFor('state'), nonce: codeFor('nonce'), verifier, challenge };
}

/** Whether a state is the one of these codes. */
export function isStateOf({ state }: TicketCodes, shown: string): boolean {
  const [ours, theirs] = [Buffer.from(state), Buffer.from(shown)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
