import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { SignInDesk } from './sign-in-desk.js';

/** Deviations from the default token. */
export interface TokenOrder {
  /** Default: RS256. */
  readonly alg?: 'RS256' | 'ES256' | 'EdDSA';
  /** Default: the newest key of the issuer. */
  readonly kid?: string;
  readonly issuer?: string;
  /** Default: `backstep`. */
  readonly audience?: string | string[];
  /** Seconds since 1970. Default: now. */
  readonly at?: number;
  /** Seconds. Default: 300. */
  readonly lifetime?: number;
  /** Seconds since 1970. Default: it says none. */
  readonly notBefore?: number;
  readonly claims?: Readonly<Record<string, unknown>>;
}

interface Signer {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** Where an issuer listens. */
interface IssuerPlace {
  /** Default: any. */
  readonly port?: number;
  /** The name of this machine in its addresses. Default: 127.0.0.1. */
  readonly host?: string;
}

/** An OpenID Connect issuer on loopback: real keys, a real server, and a desk for people. */
export class TokenIssuer {
  /** Requests for the keys, and for the discovery document. */
  readonly asked = { keys: 0, discovery: 0 };
  /** Answers with a fault instead. */
  isBroken = false;
  /** Instead of its own. */
  discovery: object | null = null;
  /** Lets people sign in. */
  readonly desk = new SignInDesk((sub, order) => this.token(sub, order));
  private signers: Signer[] = [];
  private made = 0;
  private readonly listeners: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** Listens, with one key of each algorithm. */
  static async open({ host = '127.0.0.1', port = 0 }: IssuerPlace = {}): Promise<TokenIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const { port: found } = server.address() as AddressInfo;
    const issuer = new TokenIssuer(server, `http://${host}:${found}/realms/test`);
    server.on('request', (request, response) => void issuer.serve(request, response));
    await issuer.rotate();
    return issuer;
  }

  /** The JSON at one of its addresses; rejects where the answer is a fault. */
  static async readJson(this: void, url: string): Promise<unknown> {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return answer.json();
  }

  /** Forgets its keys, and makes others. */
  async rotate(): Promise<void> {
    this.made += 1;
    const algorithms = ['RS256', 'ES256', 'EdDSA'];
    this.signers = await Promise.all(algorithms.map((alg) => signerOf(alg, `${alg}-${this.made}`)));
  }

  /** The public key of an algorithm, as anybody may read it. */
  publicKey(alg: string): JWK | undefined {
    return this.signers.find((signer) => signer.alg === alg)?.jwk;
  }

  /** A signed token of this subject. */
  token(sub: string, order: TokenOrder = {}): Promise<string> {
    const { alg = 'RS256', at = Math.floor(Date.now() / 1_000), audience = 'backstep' } = order;
    const signer = this.signers.find((known) => known.alg === alg);
    if (signer === undefined) throw new Error(`no key of ${alg}`);
    const jwt = new SignJWT({ sub, ...order.claims })
      .setProtectedHeader({ alg, kid: order.kid ?? signer.kid })
      .setIssuer(order.issuer ?? this.url)
      .setAudience(audience)
      .setIssuedAt(at)
      .setExpirationTime(at + (order.lifetime ?? 300));
    if (order.notBefore !== undefined) jwt.setNotBefore(order.notBefore);
    return jwt.sign(signer.privateKey);
  }

  /** Resolves when somebody asks for the keys. */
  nextAsk(): Promise<void> {
    return new Promise((resolve) => this.listeners.push(resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.isBroken && (await this.desk.serve(request, response))) return;
    const body = this.answer(request.url ?? '');
    response.writeHead(body === null ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  private answer(url: string): object | null {
    if (url === '/realms/test/.well-known/openid-configuration') {
      this.asked.discovery += 1;
      const places = SignInDesk.placesBelow(this.url);
      const own = { issuer: this.url, jwks_uri: `${this.url}/keys`, ...places };
      return this.isBroken ? null : (this.discovery ?? own);
    }
    this.asked.keys += 1;
    for (const heard of this.listeners.splice(0)) heard();
    return this.isBroken ? null : { keys: this.signers.map(({ jwk }) => jwk) };
  }
}

/** Keys take long to make: issuers of one process share them, each generation for itself. */
const signers = new Map<string, Promise<Signer>>();

function signerOf(alg: string, kid: string): Promise<Signer> {
  const known = signers.get(kid) ?? makeSigner(alg, kid);
  signers.set(kid, known);
  return known;
}

async function makeSigner(alg: string, kid: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}
