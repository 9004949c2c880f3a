import type { ChannelModel } from 'amqplib';
import { growingDelay } from '#core';
import type { Notice, Timer } from '#ports';
import { openConnection, type BrokerLink } from './broker-link.js';
import type { Settings } from './options.js';
import { QueueExam, type QueueVerdict } from './queue-exam.js';
import { dropSocket } from '#seams/amqplib';
import { settled } from './time-limit.js';
import { PARKING_QUEUE } from './topology.js';

const LONGEST_WAIT_MS = 300_000;
const CLOSE_TIMEOUT_MS = 1_500;

/** The dependencies of the watch over stuck queues. */
interface StuckQueuesParts {
  /** While one of these is down or blocked, silence says nothing about a queue. */
  readonly links: readonly BrokerLink[];
  /** Called when a queue was made again; the time is on the monotonic clock. */
  readonly replaced: (queue: string, missingSince: number) => void;
  readonly settings: Settings;
}

/** A queue that has not answered for a while. */
interface Suspicion {
  readonly abort: AbortController;
  /** When it was asked what it has not answered, on the monotonic clock. */
  readonly since: number;
  tries: number;
  timer: Timer | null;
}

/**
 * Finds queues that never answer again, reports them, and makes them again where the settings allow
 * it. A quorum queue of RabbitMQ 3.10 whose only node is
 * killed within seconds of its declaration stays without a leader, whatever is restarted. Deleting
 * a module's queue is always safe: which messages must exist is known from the tasks, and
 * governance sends them again. It is done all the same only to a queue that is silent for long
 * while everything else works, see `QueueExam`. The parking queue is left alone: people own it.
 */
export class StuckQueues {
  readonly #parts: StuckQueuesParts;
  readonly #suspicions = new Map<string, Suspicion>();
  #closed = false;

  constructor(parts: StuckQueuesParts) {
    this.#parts = parts;
    const clear = (): void => this.#clear();
    for (const link of parts.links) link.listen({ down: clear, blocked: clear });
  }

  /** The queue has not answered, or refused, what it was asked this long ago. */
  suspect(queue: string, silentMs: number): void {
    if (this.#closed || queue === PARKING_QUEUE || this.#suspicions.has(queue)) return;
    if (this.#troubled) return;
    const { clock, silentAfterMs } = this.#parts.settings;
    const since = clock.monotonic() - silentMs;
    const suspicion = { abort: new AbortController(), since, tries: 0, timer: null };
    this.#suspicions.set(queue, suspicion);
    this.#wait(queue, suspicion, Math.max(0, silentAfterMs - silentMs));
  }

  /** The queue has done something that it could not do without a leader. */
  answered(queue: string): void {
    if (this.#suspicions.size > 0) this.#acquit(queue);
  }

  close(): void {
    this.#closed = true;
    this.#clear();
  }

  get #troubled(): boolean {
    return this.#parts.links.some(({ blocked, model }) => model === null || blocked !== null);
  }

  #clear(): void {
    for (const queue of [...this.#suspicions.keys()]) this.#acquit(queue);
  }

  #acquit(queue: string): void {
    const suspicion = this.#suspicions.get(queue);
    this.#suspicions.delete(queue);
    suspicion?.timer?.cancel();
    suspicion?.abort.abort();
  }

  #wait(queue: string, suspicion: Suspicion, ms: number): void {
    suspicion.timer = this.#parts.settings.clock.after(ms, () => {
      void this.#examine(queue, suspicion);
    });
  }

  async #examine(queue: string, suspicion: Suspicion): Promise<void> {
    const { clock } = this.#parts.settings;
    const begin = clock.monotonic();
    const { signal } = suspicion.abort;
    try {
      const verdict = await this.#look(queue, signal);
      if (verdict === 'leaderless') return this.#report(queue, suspicion);
      if (this.#suspicions.get(queue) === suspicion) this.#acquit(queue);
      if (verdict === 'well') return;
      this.#tellRebuilt(queue, begin - suspicion.since);
      this.#parts.replaced(queue, begin);
    } catch (error) {
      if (signal.aborted) return;
      const ms = this.#lookLater(queue, suspicion);
      const message = `Queue ${queue} does not answer; looked at again in ${ms} ms.`;
      this.#notice({ level: 'warn', name: 'queue_silent', message, error });
    }
  }

  #lookLater(queue: string, suspicion: Suspicion): number {
    suspicion.tries += 1;
    const firstMs = 2 * this.#parts.settings.silentAfterMs;
    const ms = growingDelay({ firstMs, maxMs: LONGEST_WAIT_MS }, suspicion.tries);
    this.#wait(queue, suspicion, ms);
    return ms;
  }

  /** The queue stays under suspicion, and is reported again, until it answers. */
  #report(queue: string, suspicion: Suspicion): void {
    if (this.#suspicions.get(queue) !== suspicion) return;
    const seconds = this.#silentSeconds(suspicion);
    this.#lookLater(queue, suspicion);
    const message =
      `Queue ${queue} has answered nothing for ${seconds} s while the broker answers for another ` +
      `queue: it has no leader. Delete it (rabbitmqctl delete_queue ${queue}): it is declared again ` +
      'and its messages are sent again. BACKSTEP_REBUILD_QUEUES=on does so by itself.';
    this.#notice({ level: 'error', name: 'queue_without_leader', message });
  }

  #silentSeconds({ since }: Suspicion): number {
    return Math.round((this.#parts.settings.clock.monotonic() - since) / 1_000);
  }

  async #look(queue: string, signal: AbortSignal): Promise<QueueVerdict> {
    const { settings } = this.#parts;
    const model = await openConnection(settings, `look at ${queue}`);
    const exam = new QueueExam({ model, queue, settings, signal });
    // A process that finds the queue gone declares it, and it answers before this is over.
    const drop = (): void => {
      if (!exam.deleting || this.#closed) dropSocket(model);
    };
    model.on('error', () => undefined);
    model.on('blocked', drop);
    signal.addEventListener('abort', drop, { once: true });
    try {
      if (signal.aborted) return 'well';
      return await exam.run();
    } finally {
      signal.removeEventListener('abort', drop);
      void this.#end(model);
    }
  }

  async #end(model: ChannelModel): Promise<void> {
    try {
      const { clock } = this.#parts.settings;
      await settled(model.close(), { clock, ms: CLOSE_TIMEOUT_MS });
    } catch {
      // The driver throws when the connection is closed already.
    }
    dropSocket(model);
  }

  #tellRebuilt(queue: string, silentMs: number): void {
    const seconds = Math.round(silentMs / 1_000);
    const message =
      `Queue ${queue} answered nothing for ${seconds} s while the broker answered for another ` +
      'queue: it had no leader. It was deleted and declared again; its messages are sent again.';
    this.#notice({ level: 'error', name: 'queue_rebuilt', message });
  }

  #notice(notice: Notice): void {
    this.#parts.settings.observer.noticed(notice);
  }
}
