import { createHmac } from 'node:crypto';
import type { Clock } from '#ports';
import { isActorName, isTakenName } from './actor-name.js';
import type { Principal } from './principal.js';
import { isSameSecret } from './same-secret.js';

/** Dependencies of the token of a machine. */
interface LocalTokenOptions {
  /** As it is in its file. */
  readonly token: string;
  /** Of the user of the operating system. */
  readonly userName: string;
  readonly clock: Pick<Clock, 'now'>;
  /** 43 characters of base64url that were never given before. */
  readonly newSecret: () => string;
}

/** A session in two halves, neither of which is good without the other. */
interface BrowserSession {
  /** For a cookie, which no script can read, and which browsers give to all ports of the host. */
  readonly cookie: string;
  /** For the storage of the page, which scripts of this port alone can read. */
  readonly proof: string;
}

/** A question whether a server knows the token. */
interface Asked {
  /** 43 characters of base64url that were never given before. */
  readonly challenge: string;
  /** The server's end of the connection, as `connectionEnd` writes it: a relay has another one. */
  readonly end: string;
}

/** The answer of a server that knows the token. */
interface Greeting {
  /** For the signatures of requests to this process; good for five minutes. */
  readonly nonce: string;
  readonly proof: string;
}

/** The parts of a request that its signature covers. */
export interface SignedParts extends Pick<Asked, 'end'> {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  /** The header `Content-Digest`; empty: there is no body. */
  readonly digest: string;
}

/** Begins the text of a token; so do the next two those of links and of sessions. */
const TOKEN_PREFIX = 'bst_';
const TICKET_PREFIX = 'bso_';
/** Begins the half of a session that is in a cookie. */
export const LOCAL_SESSION_PREFIX = 'bsl_';

const TOKEN = /^bst_[\w-]{43}$/;
const CHANCE = /^[\w-]{43}$/;
/** A moment, chance, and a seal that only the process itself can make. */
const NONCE = /^(\d{1,15})\.[\w-]{43}\.([\w-]{43})$/;
/** A nonce, and the seal of a request. */
const SIGNATURE = /^([\w.-]+)\.([\w-]{43})$/;
/** Prefix, a moment, chance, and a seal that only a holder of the token can make. */
const SEALED = /^(bso_|bsl_)(\d{1,15})\.([\w-]{43})\.([\w-]{43})$/;

/** How long the link that signs in may be opened. */
export const LINK_MS = 600_000;
/** How long a browser stays signed in: a working day. */
const SESSION_MS = 43_200_000;
/** How long a client may sign requests with one nonce. */
export const NONCE_MS = 300_000;

/** One end of a connection as text, from the members of its socket. */
export function connectionEnd(address: string | undefined, port: number | undefined): string {
  if (address === undefined || port === undefined) return 'socket';
  return `${address.replace('::ffff:', '')} ${port}`;
}

/** A token with chance of 43 characters of base64url. */
export function localTokenText(chance: string): string {
  return `${TOKEN_PREFIX}${chance}`;
}

/** Whether a text may be a token. */
export function isLocalToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * The one token that lets each reader of its file into the processes of a machine. Links and
 * sessions of browsers are sealed with it, so nothing of them is stored: they are good in every
 * process of the token, and end with it.
 */
export class LocalToken {
  readonly #name: string;
  /** Links from before it are not taken: which of them were used is not known any more. */
  readonly #since: number;
  /** Links that were used, and when they were made. */
  readonly #used = new Map<string, number>();
  /** No other process knows it: so a request that one process was sent is of no use in the next. */
  readonly #ownSecret: string;

  constructor(private readonly options: LocalTokenOptions) {
    this.#name = principalName(options.userName);
    this.#since = options.clock.now();
    this.#ownSecret = options.newSecret();
  }

  /** Returns the owner of a token, of a session, or of a link, which then is good no more. */
  find(text: string): Principal | null {
    if (text.startsWith(TOKEN_PREFIX)) {
      return isSameSecret(text, this.options.token) ? this.#principal() : null;
    }
    const [, prefix = '', at = '', chance = '', seal = ''] = SEALED.exec(text) ?? [];
    if (prefix === '' || !isSameSecret(seal, this.#seal(`${prefix}${at}.${chance}`))) return null;
    if (prefix === TICKET_PREFIX) return this.#use(chance, Number(at)) ? this.#principal() : null;
    const until = Number(at);
    return this.options.clock.now() < until ? { ...this.#principal(), goodUntil: until } : null;
  }

  /** The secret part of a link that signs in, once and soon. */
  ticket(): string {
    const { clock, newSecret } = this.options;
    const text = `${TICKET_PREFIX}${clock.now()}.${newSecret()}`;
    return `${text}.${this.#seal(text)}`;
  }

  /** Opens a session for the caller who showed a token or a link. */
  openSession(): BrowserSession {
    const { clock, newSecret } = this.options;
    const cookie = `${LOCAL_SESSION_PREFIX}${clock.now() + SESSION_MS}.${newSecret()}`;
    return { cookie, proof: this.#seal(cookie) };
  }

  /** Shows a client that this process knows the token; null: the challenge cannot be one. */
  greet(asked: Asked): Greeting | null {
    const { clock, newSecret } = this.options;
    if (!CHANCE.test(asked.challenge)) return null;
    const text = `${clock.now() + NONCE_MS}.${newSecret()}`;
    const nonce = `${text}.${hmac(this.#ownSecret, text)}`;
    return { nonce, proof: this.#seal(proofText(asked, nonce)) };
  }

  /** Whether a greeting comes from a process that knows the token, at this end of a connection. */
  isGreeting({ nonce, proof }: Greeting, asked: Asked): boolean {
    return isSameSecret(proof, this.#seal(proofText(asked, nonce)));
  }

  /** The signature of a request: without the token itself, and of no use for any other request. */
  sign(parts: SignedParts, nonce: string): string {
    return `${nonce}.${this.#seal(requestText(parts, nonce))}`;
  }

  /** Returns the owner of a request that was signed for this process; null: it was not. */
  findSigned(signature: string, parts: SignedParts): Principal | null {
    const [, nonce = '', seal = ''] = SIGNATURE.exec(signature) ?? [];
    if (!this.#isOwnNonce(nonce)) return null;
    return isSameSecret(seal, this.#seal(requestText(parts, nonce))) ? this.#principal() : null;
  }

  #isOwnNonce(nonce: string): boolean {
    const [, until = '', seal = ''] = NONCE.exec(nonce) ?? [];
    if (seal === '' || this.options.clock.now() >= Number(until)) return false;
    return isSameSecret(seal, hmac(this.#ownSecret, nonce.slice(0, -seal.length - 1)));
  }

  #use(chance: string, madeAt: number): boolean {
    const now = this.options.clock.now();
    for (const [used, at] of this.#used) if (at < now - LINK_MS) this.#used.delete(used);
    if (madeAt < this.#since || madeAt < now - LINK_MS || madeAt > now) return false;
    if (this.#used.has(chance)) return false;
    this.#used.set(chance, madeAt);
    return true;
  }

  /** The seal of a text of one kind is none of another: each text begins with its kind. */
  #seal(text: string): string {
    return hmac(this.options.token, text);
  }

  #principal(): Principal {
    const name = this.#name;
    const everything = { flows: null, labels: null, modules: null };
    return { name, role: 'admin', ...everything, keyId: `local#${name}` };
  }
}

function hmac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function proofText({ challenge, end }: Asked, nonce: string): string {
  return `server ${JSON.stringify([end, nonce, challenge])}`;
}

function requestText({ digest, end, method, target }: SignedParts, nonce: string): string {
  return `request ${JSON.stringify([end, nonce, method, target, digest])}`;
}

/** A name that cannot be shown as it is, or may be taken for a part of Backstep, is `local`. */
function principalName(userName: string): string {
  return isActorName(userName) && !isTakenName(userName) ? userName : 'local';
}
