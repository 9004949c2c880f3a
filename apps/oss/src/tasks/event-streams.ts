import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFinal, type Task } from '#core';
import { principalOf } from '#http-server';
import type { Clock } from '#ports';
import { type HiddenIds, withoutIds } from '../access/hidden-tasks.js';
import { OpenRequests } from '../access/open-requests.js';
import { OpenStreams } from '../events/open-streams.js';
import { ServerEvents } from '../events/server-events.js';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { presentEvents, type PublicEvent, seesStacks } from './event.presenter.js';

/** The order for a stream: its task, its start and its client. */
interface StreamOrder {
  readonly task: Task;
  readonly hiding: EventSight['hiding'];
  /** The last event the client has; null: none. */
  readonly after: number | null;
  /** The request that the stream answers. */
  readonly request: FastifyRequest;
}

/** How much of a task a client sees. */
interface EventSight {
  /** The tasks that it names and that the client does not see. */
  readonly hiding: (task: Task) => HiddenIds;
  /** Whether the client sees the stack traces of errors. */
  readonly withStacks: boolean;
}

/** Answers with the events of tasks as they come. */
@Injectable()
export class EventStreams {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts,
    private readonly streams: OpenStreams,
    private readonly openRequests: OpenRequests,
  ) {}

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
    const stopWatching = engine.watch.watch(task.plan.taskId, (seen) => stream.show(seen));
    this.streams.keep(stream, reply, () => {
      leave();
      stopWatching();
    });
    stream.start();
    stream.show(task);
  }
}

/** One client that watches one task. */
class EventStream extends ServerEvents {
  /** The newest task that could not be written yet because the client reads slowly. */
  private waiting: Task | null = null;

  constructor(
    reply: FastifyReply,
    clock: Clock,
    private sent: number,
    private readonly sight: EventSight,
  ) {
    super(reply, clock);
  }

  /** Sends the head, so that the client knows it is heard. */
  start(): void {
    this.begin(': events of a task\n\n');
  }

  /** Sends the events of a task that were not sent yet; ends with the last one of a final task. */
  show(task: Task): void {
    if (this.ended) return;
    if (this.blocked) {
      if (task.revision > (this.waiting?.revision ?? 0)) this.waiting = task;
      return;
    }
    const events = presentEvents(task.journal, this.sent, this.sight.withStacks);
    const last = events.at(-1);
    if (last !== undefined) {
      this.sent = last.seq;
      const hidden = this.sight.hiding(task);
      this.write(events.map((event) => eventText(event, hidden)).join(''));
    }
    if (isFinal(task.status)) this.end();
  }

  protected override drained(): void {
    const task = this.waiting;
    this.waiting = null;
    if (task !== null) this.show(task);
  }
}

function eventText(event: PublicEvent, hidden: HiddenIds): string {
  const data = withoutIds(JSON.stringify(event), hidden);
  return `id: ${event.seq}\nevent: ${event.kind}\ndata: ${data}\n\n`;
}
