import { readFile } from 'node:fs/promises';
import type { JsonObject, JsonValue } from '#core';
import { bytesOf, readJson } from '#json';
import {
  type AbortSignalLike,
  SecretNotFound,
  type SecretPlace,
  type SecretResolver,
  SecretStoreAway,
} from '#ports';

/** Bytes of an answer; one with more is not read. */
const BYTES_MAX = 1 << 20;

const FORBIDDEN = 403;
const NOT_FOUND = 404;

interface VaultOptions {
  /** `https://vault.example:8200`. */
  readonly url: string;
  /** Absolute path of the file with the token, which others may renew at any time. */
  readonly tokenFile: string;
}

/**
 * Secrets in version 2 of the key-value engine of HashiCorp Vault: `vault:kv/db#password` is the
 * member `password` of `db` in the engine that is mounted at `kv`, and `vault:kv/db` all of it as
 * an object. A token that is refused is read again. Redirects are not followed.
 */
export class VaultSecrets implements SecretResolver {
  readonly name = 'vault';
  readonly #options: VaultOptions;
  #token: string | null = null;

  constructor(options: VaultOptions) {
    this.#options = options;
  }

  async resolve(place: SecretPlace, signal: AbortSignalLike): Promise<JsonValue> {
    const url = this.#addressOf(place);
    const token = this.#token ?? (await this.#readToken());
    const first = await ask(url, token, signal);
    if (first.status !== FORBIDDEN) return secretIn(first, place);
    const renewed = await this.#readToken();
    if (renewed === token) throw refused(place);
    return secretIn(await ask(url, renewed, signal), place);
  }

  #addressOf(place: SecretPlace): URL {
    const [mount = '', ...names] = place.path.split('/');
    if (names.length === 0) throw new SecretNotFound(place, 'names a mount, and nothing in it');
    const path = [mount, 'data', ...names].map(encodeURIComponent).join('/');
    return new URL(`v1/${path}`, `${this.#options.url.replace(/\/$/, '')}/`);
  }

  async #readToken(): Promise<string> {
    const text = await readFile(this.#options.tokenFile, 'utf8').catch(() => {
      throw new SecretStoreAway('the file of BACKSTEP_VAULT_TOKEN_FILE cannot be read');
    });
    const token = text.trim();
    // Anything else cannot stand in a header, and an error would quote it.
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new SecretStoreAway('the file of BACKSTEP_VAULT_TOKEN_FILE has no token in it');
    }
    this.#token = token;
    return token;
  }
}

interface Answer {
  readonly status: number;
  /** Null: it is not needed. */
  readonly body: Buffer | null;
}

/** Asks Vault. Throws `SecretStoreAway` where nothing comes back. */
async function ask(url: URL, token: string, signal: AbortSignalLike): Promise<Answer> {
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const headers = { accept: 'application/json', 'x-vault-token': token };
  try {
    const { signal: own } = ending;
    const response = await fetch(url, { headers, redirect: 'error', signal: own });
    const { ok, status } = response;
    return { status, body: ok ? await bytesOf(response, BYTES_MAX) : null };
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: unknown } };
    const code = typeof cause?.code === 'string' ? ` (${cause.code})` : '';
    throw new SecretStoreAway(`Vault at ${url.host} cannot be asked${code}`);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

function secretIn({ body, status }: Answer, place: SecretPlace): JsonValue {
  if (status === NOT_FOUND) throw new SecretNotFound(place);
  if (status === FORBIDDEN) throw refused(place);
  if (body === null) {
    throw new SecretStoreAway(`Vault answers ${status} about ${place.reference}`);
  }
  const data = dataIn(body);
  if (data === null) throw new SecretStoreAway(`Vault's answer about ${place.reference} is wrong`);
  if (place.key === null) return data;
  const secret = Object.hasOwn(data, place.key) ? data[place.key] : null;
  if (secret === null || secret === undefined) {
    throw new SecretNotFound(place, 'is not there: the secret has no such key');
  }
  return secret;
}

/** The secret in an answer; null: it has none. The parser's error is not told: it may quote. */
function dataIn(body: Buffer): JsonObject | null {
  try {
    const answer = readJson(body, { bytes: BYTES_MAX }) as Answered | null;
    const data = answer?.data?.data;
    return typeof data === 'object' && data !== null && !Array.isArray(data) ? data : null;
  } catch {
    return null;
  }
}

interface Answered {
  readonly data?: { readonly data?: JsonObject | null } | null;
}

/** A token is the business of the operator, so that a step waits for another one. */
function refused({ reference }: SecretPlace): SecretStoreAway {
  return new SecretStoreAway(`Vault refuses ${reference} to the token of this process (403)`);
}
