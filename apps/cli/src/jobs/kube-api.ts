import type { Agent } from 'node:https';
import { growingDelay, type JsonObject } from '#core';
import { readJson, WrongJson } from '#json';
import { withinLimit } from '#machine';
import type { Clock } from '#ports';
import { reach } from '../client/reach.js';

/** How long an answer may take, in milliseconds. */
const ANSWER_MS = 30_000;
/** Larger answers are not read. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** The wait before a request is sent again that the cluster did not decide on. */
const GROWTH = { firstMs: 500, maxMs: 15_000 };
const SAY_EVERY_MS = 60_000;

/** An object of Kubernetes, as far as the launcher reads it. */
export interface KubeObject extends JsonObject {
  readonly metadata: JsonObject & {
    readonly name: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
}

/** Where the API of a cluster is, and in whose name it is asked. */
interface KubePlace {
  readonly url: string;
  /** The token, which may be renewed at any time; undefined: none is sent. */
  readonly readToken: () => Promise<string | undefined>;
  /** Connections that trust the authority of the cluster; null: those of this machine. */
  readonly agent: Agent | null;
}

interface KubeApiParts extends KubePlace {
  readonly clock: Clock;
  /** Takes one line for the operator. */
  readonly say: (line: string) => void;
}

/** A request to the API. */
interface KubeRequest {
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST';
  /** Path and query, without the first slash. */
  readonly path: string;
  readonly body?: object;
}

/** An answer that is a decision of the cluster. */
export interface KubeAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** The API of Kubernetes, asked without a library. */
export class KubeApi {
  #saidAt = -Infinity;

  constructor(private readonly parts: KubeApiParts) {}

  /**
   * The decision of the cluster. Trouble of the cluster, of the way to it or of the launcher's
   * rights in it is waited out, and told with `onTrouble`. Rejects with the reason of the signal.
   */
  async decide(
    request: KubeRequest,
    signal: AbortSignal,
    onTrouble: (words: string) => void = () => {},
  ): Promise<KubeAnswer> {
    for (let failures = 1; ; failures += 1) {
      signal.throwIfAborted();
      const answer = await this.ask(request, signal).catch((error: Error) => error);
      signal.throwIfAborted();
      if (!(answer instanceof Error) && isDecision(request, answer)) return answer;
      const words = answer instanceof Error ? reasonOf(answer) : wordsOf(answer);
      this.sayTrouble(words);
      onTrouble(`the cluster: ${words}`);
      await this.parts.clock.sleep(growingDelay(GROWTH, failures), signal);
    }
  }

  /** Any answer to one request. Rejects where none came in time. */
  ask(request: KubeRequest, signal: AbortSignal): Promise<KubeAnswer> {
    const { clock } = this.parts;
    const answerOf = async (limited: AbortSignal): Promise<KubeAnswer> => {
      const answer = await this.open(request, limited);
      return { status: answer.status, body: bodyOf(await answer.text()) };
    };
    return withinLimit(answerOf, { clock, ms: ANSWER_MS, signal });
  }

  /** An answer of which the body is still to be read. */
  async open({ body, method, path }: KubeRequest, signal: AbortSignal): Promise<Response> {
    const { agent, readToken, url } = this.parts;
    const token = await readToken();
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return reach({ agent, url }, path, {
      method,
      signal,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': type }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Tells the operator of trouble with the cluster, at most once a minute. */
  sayTrouble(words: string): void {
    const now = this.parts.clock.monotonic();
    if (now - this.#saidAt < SAY_EVERY_MS) return;
    this.#saidAt = now;
    this.parts.say(`the cluster: ${words}; it is asked again`);
  }
}

/** Rights, a namespace and room in a quota may be given to the launcher at any time. */
function isDecision({ method }: KubeRequest, { body, status }: KubeAnswer): boolean {
  if (status >= 500 || [401, 403, 408, 429].includes(status)) return false;
  if (method !== 'POST') return true;
  return status !== 404 && (status !== 409 || body['reason'] === 'AlreadyExists');
}

/** The words in which the cluster refuses. */
export function wordsOf({ body, status }: KubeAnswer): string {
  const { message } = body;
  return typeof message === 'string' ? `${status} ${message}` : `it answered ${status}`;
}

/** Why nobody answered. */
export function reasonOf({ cause, message }: Error): string {
  const { code, message: why } = (cause ?? {}) as NodeJS.ErrnoException;
  return why || code || message;
}

function bodyOf(text: string): JsonObject {
  try {
    return readJson(text, { bytes: ANSWER_BYTES_MAX }) as JsonObject;
  } catch (error) {
    // A proxy before the cluster answers in words of its own.
    if (!(error instanceof WrongJson)) throw error;
    return {};
  }
}

/** A member that is an object; empty where it is none. */
export function memberOf(object: JsonObject, name: string): JsonObject {
  const member = object[name];
  const isObject = typeof member === 'object' && member !== null && !Array.isArray(member);
  return isObject ? (member as JsonObject) : {};
}
