import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the server answers everything, where it is not as Vault should be. */
type Mood = 'well' | 'sealed' | 'silent' | 'confused' | 'elsewhere';

/**
 * A server on loopback that speaks what Vault does of its key-value engine, version 2, mounted at
 * `kv`: `GET /v1/kv/data/<path>` with a token.
 */
export class VaultServer {
  /** The tokens that it takes. */
  readonly tokens = new Set<string>();
  readonly secrets = new Map<string, Record<string, unknown>>();
  /** Every path that was asked for, with the token. */
  readonly asked: { readonly path: string; readonly token: string | undefined }[] = [];
  mood: Mood = 'well';
  readonly #server = http.createServer((request, response) => this.#answer(request, response));

  static async open(): Promise<VaultServer> {
    const vault = new VaultServer();
    vault.#server.listen(0, '127.0.0.1');
    await once(vault.#server, 'listening');
    return vault;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #answer({ headers, url: path = '' }: http.IncomingMessage, response: http.ServerResponse): void {
    const token = headers['x-vault-token']?.toString();
    this.asked.push({ path, token });
    const send = (status: number, body: object, more = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(JSON.stringify(body));
    };
    if (this.mood === 'silent') return;
    if (this.mood === 'sealed') return send(503, { errors: ['Vault is sealed'] });
    if (this.mood === 'confused') return void response.end('{"data": {"data": "my-secret-thing');
    if (this.mood === 'elsewhere') return send(307, {}, { location: `${this.url}${path}` });
    if (token === undefined || !this.tokens.has(token)) {
      return send(403, { errors: ['permission denied'] });
    }
    const name = decodeURIComponent(/^\/v1\/kv\/data\/(.*)$/.exec(path)?.[1] ?? '');
    const data = this.secrets.get(name);
    if (data === undefined) return send(404, { errors: [] });
    send(200, { request_id: '1', data: { data, metadata: { version: 1 } } });
  }
}
