import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { isFinal, type Task } from '#core';
import type { Clock, Timer } from '#ports';
import { presentEvents, type PublicEvent } from './event.presenter.js';

/** How often something is sent, so that nobody between takes the connection for dead. */
const HEARTBEAT_MS = 15_000;

const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Else nginx collects what should be seen at once.
  'x-accel-buffering': 'no',
};

/** One client that watches one task. */
export class EventStream {
  /** Called once, when the stream is over for whatever reason. */
  onEnd: () => void = () => {};
  private timer: Timer | null = null;
  private ended = false;
  /** The newest task that could not be written yet because the client reads slowly. */
  private waiting: Task | null = null;
  private blocked = false;

  private readonly response: ServerResponse;

  constructor(
    private readonly reply: FastifyReply,
    private readonly clock: Clock,
    private sent: number,
  ) {
    this.response = reply.raw;
  }

  /** Sends the head, so that the client knows it is heard. */
  start(): void {
    this.response.writeHead(200, { ...this.reply.getHeaders(), ...HEAD } as OutgoingHttpHeaders);
    this.response.on('error', () => this.end());
    this.response.on('drain', () => this.drained());
    this.write(': events of a task\n\n');
    this.beat();
  }

  /** Sends the events of a task that were not sent yet; ends with the last one of a final task. */
  show(task: Task): void {
    if (this.ended) return;
    if (this.blocked) {
      if (task.revision > (this.waiting?.revision ?? 0)) this.waiting = task;
      return;
    }
    const events = presentEvents(task.journal, this.sent);
    const last = events.at(-1);
    if (last !== undefined) {
      this.sent = last.seq;
      this.write(events.map(eventText).join(''));
    }
    if (isFinal(task.status)) this.end();
  }

  /** Ends the stream; safe to call twice. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.timer?.cancel();
    this.response.end();
    this.onEnd();
  }

  private write(text: string): void {
    if (!this.response.write(text)) this.blocked = true;
  }

  private drained(): void {
    this.blocked = false;
    const task = this.waiting;
    this.waiting = null;
    if (task !== null) this.show(task);
  }

  private beat(): void {
    this.timer = this.clock.after(HEARTBEAT_MS, () => {
      if (this.ended) return;
      // A client that reads nothing at all is not sent more.
      if (!this.blocked) this.write(': still here\n\n');
      this.beat();
    });
  }
}

function eventText(event: PublicEvent): string {
  return `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
}
