import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { growingDelay, type JsonObject } from '#core';
import { readJson } from '#json';
import { withinLimit } from '#machine';
import type { Clock } from '#ports';
import { readLines } from '../worker/line-reader.js';
import { type KubeAnswer, type KubeApi, type KubeObject, reasonOf, wordsOf } from './kube-api.js';

/** The cluster ends a watch after so many seconds, so a dead connection is found soon. */
const WATCH_SECONDS = 60;
const LATE_MS = 10_000;
const OBJECT_BYTES_MAX = 4 * 1024 * 1024;
const GONE = 410;
const GROWTH = { firstMs: 200, maxMs: 15_000 };

/** One line of a watch. */
interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/** Objects that are watched, and where. */
interface WatchParts {
  readonly api: KubeApi;
  /** Path of the collection, without the first slash. */
  readonly path: string;
  /** Label selector. */
  readonly selector: string;
  readonly clock: Clock;
  readonly news: News;
}

/** Every Job waits for the same news. */
function awaited(): AbortController {
  const next = new AbortController();
  setMaxListeners(0, next.signal);
  return next;
}

/** Tells that something in the cluster has changed. */
export class News {
  #next = awaited();

  constructor(private readonly clock: Clock) {}

  tell(): void {
    const told = this.#next;
    this.#next = awaited();
    told.abort();
  }

  /** Resolves at the next news, or after `ms`. Rejects with the reason of the signal. */
  async next(ms: number, signal: AbortSignal): Promise<void> {
    const waiting = new AbortController();
    const wake = (): void => waiting.abort();
    const ends = [this.#next.signal, signal];
    for (const one of ends) one.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
    await this.clock.sleep(ms, waiting.signal);
    for (const one of ends) one.removeEventListener('abort', wake);
    signal.throwIfAborted();
  }
}

/**
 * Objects of the cluster as they stand: a list, and a watch from there. While the cluster is away
 * they stay as they were last seen.
 */
export class WatchedList {
  #objects = new Map<string, KubeObject>();
  /** The version that the objects are of; null: the list has to be read. */
  #version: string | null = null;

  constructor(private readonly parts: WatchParts) {}

  /** The newest known state; undefined: none was seen yet, or it is gone. */
  get(name: string): KubeObject | undefined {
    return this.#objects.get(name);
  }

  all(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  /** Follows the cluster until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        this.#version ??= await this.#list(signal);
        await this.#watch(this.#version, signal);
        failures = 0;
        // Something between may end each watch at once.
        await this.parts.clock.sleep(GROWTH.firstMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        this.parts.api.sayTrouble(reasonOf(error as Error));
        await this.parts.clock.sleep(growingDelay(GROWTH, failures), signal);
      }
    }
  }

  /** The version of the list. */
  async #list(signal: AbortSignal): Promise<string> {
    const { api, path, selector } = this.parts;
    const query = new URLSearchParams({ labelSelector: selector });
    const answer = await api.decide({ method: 'GET', path: `${path}?${query.toString()}` }, signal);
    if (answer.status !== 200) throw new Error(wordsOf(answer));
    const items = itemsOf(answer);
    this.#objects = new Map(items.map((one) => [one.metadata.name, one]));
    this.parts.news.tell();
    return versionOf(answer.body) ?? '';
  }

  /** Takes changes from a version on, until the cluster ends the watch. */
  async #watch(from: string, signal: AbortSignal): Promise<void> {
    const { api, clock, path, selector } = this.parts;
    const query = new URLSearchParams({
      labelSelector: selector,
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: from,
      timeoutSeconds: String(WATCH_SECONDS),
    });
    const request = { method: 'GET', path: `${path}?${query.toString()}` } as const;
    const ms = WATCH_SECONDS * 1_000 + LATE_MS;
    await withinLimit(
      async (limited) => {
        const answer = await api.open(request, limited);
        if (answer.status === GONE) this.#version = null;
        else if (answer.status !== 200) throw new Error(`a watch was answered ${answer.status}`);
        const stream = Readable.fromWeb(answer.body as ReadableStream);
        stream.on('error', () => {});
        await readLines(stream, OBJECT_BYTES_MAX, ({ text }) => {
          try {
            this.#take(text);
          } catch (error) {
            stream.destroy(error as Error);
          }
        });
      },
      { clock, ms, signal },
    );
  }

  #take(line: string): void {
    if (this.#version === null || line === '') return;
    const { object, type } = readJson(line, { bytes: OBJECT_BYTES_MAX }) as unknown as WatchEvent;
    if (type === 'ERROR') {
      if (object['code'] === GONE) {
        this.#version = null;
        return;
      }
      throw new Error(wordsOf({ status: Number(object['code']), body: object }));
    }
    const one = object as KubeObject;
    if (type === 'DELETED') this.#objects.delete(one.metadata.name);
    else if (type !== 'BOOKMARK') this.#objects.set(one.metadata.name, one);
    if (type !== 'BOOKMARK') this.parts.news.tell();
    this.#version = versionOf(object) ?? this.#version;
  }
}

function versionOf({ metadata }: JsonObject): string | undefined {
  return (metadata as { readonly resourceVersion?: string } | undefined)?.resourceVersion;
}

/** The objects of an answer that is a list. */
export function itemsOf({ body }: KubeAnswer): readonly KubeObject[] {
  return (body['items'] ?? []) as readonly KubeObject[];
}
