import { hash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenOrder } from './token-issuer.js';

/** A client's request to the desk, under a code that is good once. */
interface Grant {
  readonly callback: string;
  readonly challenge: string;
  readonly nonce: string;
}

/** Answer of the desk to a client. */
interface DeskAnswer {
  readonly status: number;
  readonly body: object;
}

const AUTHORIZE = '/authorize';
const TOKEN = '/token';

/** Where people sign in at an issuer: authorization codes that are good once, and PKCE. */
export class SignInDesk {
  /** The one client that it knows. */
  readonly client = { id: 'backstep-console', secret: 'of the client: known to two' };
  /** The person who signs in next, and deviations from the ID token that tells of them. */
  sub = 'f3a1';
  order: TokenOrder = { claims: { roles: ['viewer'] } };
  /** Instead of the nonce that the client has sent. */
  nonce: string | null = null;
  /** Codes become tokens no more. */
  isAway = false;
  /** Codes that a client has brought. */
  brought = 0;
  private readonly grants = new Map<string, Grant>();

  constructor(private readonly sign: (sub: string, order: TokenOrder) => Promise<string>) {}

  /** Its addresses, as a discovery document names them. */
  static placesBelow(url: string): object {
    return { authorization_endpoint: `${url}${AUTHORIZE}`, token_endpoint: `${url}${TOKEN}` };
  }

  /** Lets the person in whom a client has sent to this address; returns where they go then. */
  letIn(address: string): string {
    const asked = new URL(address).searchParams;
    const callback = asked.get('redirect_uri') ?? '';
    if (asked.get('client_id') !== this.client.id) throw new Error('the client is not known');
    if (asked.get('response_type') !== 'code') throw new Error('only codes are given');
    if (asked.get('code_challenge_method') !== 'S256') throw new Error('a challenge is needed');
    const challenge = asked.get('code_challenge') ?? '';
    const code = randomUUID();
    this.grants.set(code, { callback, challenge, nonce: asked.get('nonce') ?? '' });
    return backTo(callback, { code, state: asked.get('state') ?? '' });
  }

  /** Lets nobody in; returns where the browser goes then. */
  turnAway(address: string): string {
    const asked = new URL(address).searchParams;
    const callback = asked.get('redirect_uri') ?? '';
    return backTo(callback, { error: 'access_denied', state: asked.get('state') ?? '' });
  }

  /** Answers a request that is for the desk; false: it is not. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { headers, url = '' } = request;
    const { pathname } = new URL(url, 'http://desk');
    if (pathname.endsWith(TOKEN)) {
      const form = new URLSearchParams(await textOf(request));
      const { body, status } = await this.exchange(headers.authorization ?? '', form);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
      return true;
    }
    if (!pathname.endsWith(AUTHORIZE)) return false;
    const address = `http://${headers.host}${url}`;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(pageOf(this.letIn(address), this.turnAway(address)));
    return true;
  }

  private async exchange(authorization: string, form: URLSearchParams): Promise<DeskAnswer> {
    this.brought += 1;
    if (this.isAway) return { status: 503, body: {} };
    const { id, secret } = this.client;
    const pair = [id, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1));
    const wanted = `Basic ${Buffer.from(pair.join(':')).toString('base64')}`;
    if (authorization !== wanted) return { status: 401, body: { error: 'invalid_client' } };
    const code = form.get('code') ?? '';
    const grant = this.grants.get(code);
    this.grants.delete(code);
    if (grant === undefined || !isShownBy(form, grant)) {
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    const { claims } = this.order;
    const told = { ...claims, nonce: this.nonce ?? grant.nonce };
    const order = { audience: id, ...this.order, claims: told };
    const body = { token_type: 'Bearer', access_token: 'none', expires_in: 60 };
    return { status: 200, body: { ...body, id_token: await this.sign(this.sub, order) } };
  }
}

function isShownBy(form: URLSearchParams, { callback, challenge }: Grant): boolean {
  const verifier = form.get('code_verifier') ?? '';
  const shown = hash('sha256', verifier, 'base64url');
  return shown === challenge && form.get('redirect_uri') === callback;
}

function backTo(callback: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(callback);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

function pageOf(inside: string, outside: string): string {
  const link = (href: string, text: string): string =>
    `<p><a href="${href.replaceAll('&', '&amp;')}">${text}</a></p>`;
  return `<!doctype html><title>Provider</title>${link(inside, 'Let me in')}${link(outside, 'No')}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
