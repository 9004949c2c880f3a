import type { FastifyReply } from 'fastify';
import { isFinal, type Task } from '#core';
import type { Clock } from '#ports';
import { type HiddenIds, withoutIds } from '../access/hidden-tasks.js';
import { ServerEvents } from '../events/server-events.js';
import { presentEvents, type PublicEvent } from './event.presenter.js';

/** How much of a task a client sees. */
export interface EventSight {
  /** The tasks that it names and that the client does not see. */
  readonly hiding: (task: Task) => HiddenIds;
  /** Whether the client sees the stack traces of errors. */
  readonly withStacks: boolean;
}

/** One client that watches one task. */
export class EventStream extends ServerEvents {
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
