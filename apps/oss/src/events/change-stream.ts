import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Clock, Timer } from '#ports';
import { listedJson } from '../tasks/task.presenter.js';
import type { Change } from './change-look.js';

/** How often something is sent, so that nobody between takes the connection for dead. */
const HEARTBEAT_MS = 15_000;

/** Tasks that wait at most for a client that reads slowly; then it has to come again. */
const WAITING_MAX = 1_000;

const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Else nginx collects what should be seen at once.
  'x-accel-buffering': 'no',
};

/** Dependencies of a stream. */
export interface ChangeStreamParts {
  readonly clock: Clock;
  /** Up to which number everything was told that fits. */
  readonly position: () => number;
  readonly fits: (change: Change) => boolean;
}

/** One client that hears of changes of tasks. */
export class ChangeStream {
  /** Called once, when the stream is over for whatever reason. */
  onEnd: () => void = () => {};
  ended = false;
  private timer: Timer | null = null;
  private blocked = false;
  /** Changes that came while earlier ones are read, or the client reads slowly: one per task. */
  private readonly waiting = new Map<string, Change>();
  private isHeld = true;
  private wake: () => void = () => {};
  private readonly response: ServerResponse;

  constructor(
    private readonly reply: FastifyReply,
    private readonly parts: ChangeStreamParts,
  ) {
    this.response = reply.raw;
  }

  /** Sends the head, so that the client knows it is heard, and from where it may go on. */
  start(from: number): void {
    this.response.writeHead(200, { ...this.reply.getHeaders(), ...HEAD } as OutgoingHttpHeaders);
    this.response.on('error', () => this.end());
    this.response.on('drain', () => this.drained());
    this.write(`: changes of tasks\nid: ${from}\n\n`);
    this.beat();
  }

  /** Tells the client that its number is none of this store, as after a restored backup. */
  startOver(): void {
    this.write('event: reset\ndata: {}\n\n');
  }

  /** Changes from before it listened; resolves once the client takes more. */
  async catchUp(changes: readonly Change[]): Promise<void> {
    this.send(changes);
    while (this.blocked && !this.ended) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** From now on changes are sent as they come, first those that came meanwhile. */
  release(): void {
    this.isHeld = false;
    this.flush();
  }

  /** Changes as they come. */
  show(changes: readonly Change[]): void {
    if (this.ended) return;
    if (!this.isHeld && !this.blocked) return this.send(changes);
    for (const change of changes.filter(this.parts.fits)) {
      this.waiting.delete(change.item.taskId);
      this.waiting.set(change.item.taskId, change);
    }
    if (this.waiting.size > WAITING_MAX) this.breakOff();
  }

  /** Ends the stream; safe to call twice. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.timer?.cancel();
    this.waiting.clear();
    this.response.end();
    this.wake();
    this.onEnd();
  }

  /** Drops the connection without waiting for the client to read what was written. */
  private breakOff(): void {
    this.end();
    this.response.destroy();
  }

  private send(changes: readonly Change[]): void {
    const text = changes.filter(this.parts.fits).map(changeText).join('');
    if (text !== '') this.write(text);
  }

  private flush(): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.send(waiting);
  }

  private write(text: string): void {
    if (!this.ended && !this.response.write(text)) this.blocked = true;
  }

  private drained(): void {
    this.blocked = false;
    this.wake();
    if (!this.isHeld) this.flush();
  }

  private beat(): void {
    this.timer = this.parts.clock.after(HEARTBEAT_MS, () => {
      if (this.ended) return;
      // An id without data is kept by the client, and nobody is told.
      const isUpToDate = !this.isHeld && !this.blocked;
      const id = isUpToDate ? `\nid: ${this.parts.position()}` : '';
      if (!this.blocked) this.write(`: still here${id}\n\n`);
      this.beat();
    });
  }
}

function changeText({ at, item }: Change): string {
  return `id: ${at}\nevent: task\ndata: ${listedJson(item)}\n\n`;
}
