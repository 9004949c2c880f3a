import { createHmac, hash } from 'node:crypto';
import type { Clock } from '#ports';
import { consoleSeal, type ConsoleSessions } from './console-sessions.js';
import type { IdentityTokens } from './identity-tokens.js';
import { IssuerUnavailable, type SignInPlaces } from './issuer.js';
import type { Principal } from './principal.js';
import { isSameSecret } from './same-secret.js';
import { CannotUnseal, type TextSeal } from './sealed-text.js';
import { TokenRefused } from './token-refused.js';

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
interface TicketCodes {
  /** Comes back with the code. */
  readonly state: string;
  /** Comes back in the ID token. */
  readonly nonce: string;
  /** Shows that the one who brings the code is the one who began (PKCE). */
  readonly verifier: string;
  readonly challenge: string;
}

const TICKET_TEXT = /^(\d{1,15})\.([\w-]{43})\.([\w-]{0,2000})$/;

/** Answer to a form that was sent. */
export interface FormAnswer {
  readonly status: number;
  /** Its JSON; null: it is none. */
  readonly body: unknown;
}

/** A form to send. */
export interface SentForm {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Dependencies of signing in at an issuer. */
interface SignInOptions {
  readonly tokens: Pick<IdentityTokens, 'findSignedIn' | 'places'>;
  readonly sessions: Pick<ConsoleSessions, 'open'>;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A secret that the processes of the deployment share. */
  readonly sharedSecret: string;
  /** With spaces between them. */
  readonly scopes: string;
  /** Sends a form; rejects where nobody answers in time, or too much. */
  readonly sendForm: (form: SentForm) => Promise<FormAnswer>;
  /** 43 characters of base64url that were never given before. */
  readonly newSecret: () => string;
  readonly clock: Pick<Clock, 'now'>;
}

/** The parameters that the issuer sends a browser back with. */
export interface SignInAnswer {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
  /** The issuer that says so, as RFC 9207 has it. */
  readonly iss?: string | undefined;
}

/** A person who has signed in. */
interface SignedIn {
  /** The credential that the browser keeps. */
  readonly session: string;
  readonly principal: Principal;
  /** The page of the console that they wanted. */
  readonly returnTo: string;
}

/** A sign-in did not succeed; the message is a clause for people. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';
}

/** As many codes as this become tokens at a time. */
export class TooManySignIns extends Error {
  override readonly name = 'TooManySignIns';
}

/** How long a person may take to sign in, in milliseconds. */
export const TICKET_MS = 600_000;
/** Anybody may send made-up codes: the issuer gets only a few of them at once. */
const AT_ONCE_MAX = 32;

/** Signs people in at an OpenID Connect issuer: authorization code flow with PKCE. */
export class SignIn {
  readonly #seal: TextSeal;
  readonly #owner: string;
  private exchanging = 0;

  constructor(private readonly options: SignInOptions) {
    const { clientId, issuer } = options;
    this.#seal = consoleSeal(options);
    this.#owner = JSON.stringify(['sign-in ticket', issuer, clientId]);
  }

  /**
   * Begins: where the browser goes, and the ticket that it keeps. `callback` is where it comes back
   * to. Throws `IssuerUnavailable`.
   */
  async begin(
    callback: string,
    returnTo: string,
  ): Promise<{ readonly location: string; readonly ticket: string }> {
    const { clientId, clock, newSecret, scopes, tokens } = this.options;
    const { authorization } = await tokens.places();
    const ticket = { at: clock.now(), secret: newSecret(), returnTo };
    const { challenge, nonce, state } = codesOf(ticket);
    const location = new URL(authorization);
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      scope: scopes,
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
    const sealed = this.#seal.seal(ticketText(ticket), this.#owner, newSecret());
    return { location: location.href, ticket: sealed };
  }

  /**
   * Ends: with the ticket that the browser has kept and what the issuer sent it back with. Throws
   * `SignInFailed`, `NoRoleGiven`, `TooManySignIns` and `IssuerUnavailable`.
   */
  async finish(kept: string, callback: string, answer: SignInAnswer): Promise<SignedIn> {
    const { clientId, sessions, tokens } = this.options;
    const { codes, returnTo } = this.readTicket(kept, answer);
    const idToken = await this.exchange(this.codeOf(answer), codes, callback);
    const found = tokens.findSignedIn(idToken, { clientId, nonce: codes.nonce });
    const person = await found.catch((error: unknown) => {
      if (!(error instanceof TokenRefused)) throw error;
      const { message } = error;
      throw new SignInFailed(`the ID token of the provider is not accepted: ${message}`);
    });
    if (person === null) throw new SignInFailed('the ID token of the provider is not accepted');
    const { principal, text } = sessions.open(person);
    return { session: text, principal, returnTo };
  }

  private readTicket(
    kept: string,
    { state = '' }: SignInAnswer,
  ): { readonly codes: TicketCodes; readonly returnTo: string } {
    const ticket = this.unsealed(kept);
    if (ticket === null)
      throw new SignInFailed('it was not started in this browser, or has expired');
    const codes = codesOf(ticket);
    if (!isSameSecret(codes.state, state)) {
      throw new SignInFailed('the answer does not belong to the latest sign-in of this browser');
    }
    const age = this.options.clock.now() - ticket.at;
    if (age > TICKET_MS) throw new SignInFailed('it took longer than ten minutes');
    return { codes, returnTo: ticket.returnTo };
  }

  /** Anybody may give a browser a cookie; only a gateway can have made one with this seal. */
  private unsealed(kept: string): ReturnType<typeof readTicket> {
    try {
      return readTicket(this.#seal.unseal(kept, this.#owner));
    } catch (error) {
      if (error instanceof CannotUnseal) return null;
      throw error;
    }
  }

  /** Nothing of the answer is repeated but a word: anybody may have written it. */
  private codeOf({ code, error, iss }: SignInAnswer): string {
    if (iss !== undefined && iss !== this.options.issuer) {
      throw new SignInFailed('the answer comes from another provider');
    }
    if (error !== undefined) throw new SignInFailed(`the provider says ${wordOf(error)}`);
    if (code === undefined || code === '') throw new SignInFailed('the provider sent no code');
    return code;
  }

  private async exchange(code: string, codes: TicketCodes, callback: string): Promise<string> {
    if (this.exchanging >= AT_ONCE_MAX) throw new TooManySignIns('too many sign in at once');
    this.exchanging += 1;
    try {
      return await this.exchangeNow(code, codes, callback);
    } finally {
      this.exchanging -= 1;
    }
  }

  private async exchangeNow(code: string, codes: TicketCodes, callback: string): Promise<string> {
    const { sendForm, tokens } = this.options;
    const places = await tokens.places();
    const shown = this.credentialsFor(places);
    const { verifier: code_verifier } = codes;
    const grant = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier };
    const fields = { ...grant, ...shown.fields };
    const answer = await sendForm({ url: places.token, fields, headers: shown.headers }).catch(
      (cause: unknown) => {
        throw new IssuerUnavailable('the issuer does not answer', { cause });
      },
    );
    return idTokenOf(answer);
  }

  private credentialsFor({ takesBasic }: SignInPlaces): Pick<SentForm, 'fields' | 'headers'> {
    const { clientId, clientSecret } = this.options;
    if (!takesBasic) {
      return { fields: { client_id: clientId, client_secret: clientSecret }, headers: {} };
    }
    const pair = `${formWord(clientId)}:${formWord(clientSecret)}`;
    const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    return { fields: {}, headers: { authorization } };
  }
}

function idTokenOf({ body, status }: FormAnswer): string {
  if (status >= 500) throw new IssuerUnavailable(`the answer of the issuer has status ${status}`);
  const { error, id_token: token } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (status !== 200) throw new SignInFailed(`the provider refused the code: ${wordOf(error)}`);
  if (typeof token !== 'string') throw new SignInFailed('the provider sent no ID token');
  return token;
}

/** An error as OAuth names it. */
function wordOf(error: unknown): string {
  return typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : 'no';
}

/** As forms write it, which RFC 6749 asks for in the header too. */
function formWord(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** The ticket as a text that a cookie can hold. */
export function ticketText({ at, returnTo, secret }: Ticket): string {
  return `${at}.${secret}.${Buffer.from(returnTo).toString('base64url')}`;
}

/** Reads a ticket; null: it is none. */
export function readTicket(text: string): Ticket | null {
  const [, at, secret, returnTo] = TICKET_TEXT.exec(text) ?? [];
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
  const challenge = hash('sha256', verifier, 'base64url');
  return { state: codeFor('state'), nonce: codeFor('nonce'), verifier, challenge };
}
