import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFinal, type Task } from '#core';
import { principalOf } from '#http-server';
import { KeyWatch } from '../access/key-watch.js';
import { OpenRequests } from '../access/open-requests.js';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { seesStacks } from './event.presenter.js';
import { EventStream, type EventSight } from './event-stream.js';

/** The order for a stream: its task, its start and its client. */
interface StreamOrder {
  readonly task: Task;
  readonly hiding: EventSight['hiding'];
  /** The last event the client has; null: none. */
  readonly after: number | null;
  /** The request that the stream answers. */
  readonly request: FastifyRequest;
}

/** Keeps the open event streams, and ends them before the listener closes. */
@Injectable()
export class EventStreams implements BeforeApplicationShutdown {
  private readonly streams = new Set<EventStream>();

  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts,
    private readonly keyWatch: KeyWatch,
    private readonly openRequests: OpenRequests,
  ) {}

  /** How many streams are open. */
  get size(): number {
    return this.streams.size;
  }

  /** Answers with a stream of events that ends after the task has ended. */
  open({ task, after, hiding, request }: StreamOrder, reply: FastifyReply): void {
    // An `EventSource` connects again whenever a stream ends, except after this status.
    if (after !== null && isFinal(task.status) && task.journalSeq <= after) {
      reply.code(204).send();
      return;
    }
    const leave = this.openRequests.enter(request, 'taskStreams');
    const { clock, engine } = this.options;
    const withStacks = seesStacks(principalOf(request));
    const stream = new EventStream(reply.hijack(), clock, after ?? 0, { hiding, withStacks });
    this.streams.add(stream);
    const stopWatching = engine.watch.watch(task.plan.taskId, (seen) => stream.show(seen));
    const stopAsking = this.keyWatch.watch(principalOf(request), () => stream.end());
    reply.raw.once('close', () => stream.end());
    stream.onEnd = () => {
      leave();
      stopAsking();
      stopWatching();
      this.streams.delete(stream);
    };
    stream.start();
    stream.show(task);
  }

  beforeApplicationShutdown(): void {
    for (const stream of [...this.streams]) stream.end();
  }
}
