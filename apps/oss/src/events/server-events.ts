import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Clock, Timer } from '#ports';

/** How often something is sent, so that nobody between takes the connection for dead. */
const HEARTBEAT_MS = 15_000;

const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Else nginx collects what should be seen at once.
  'x-accel-buffering': 'no',
};

/** The connection of one client that takes server-sent events, at the pace at which it reads. */
export abstract class ServerEvents {
  /** Called once, when the stream is over for whatever reason. */
  onEnd: () => void = () => {};
  ended = false;
  /** The client reads slowly: nothing more is sent until it has read what was. */
  protected blocked = false;
  private timer: Timer | null = null;
  private readonly response: ServerResponse;

  constructor(
    private readonly reply: FastifyReply,
    private readonly clock: Clock,
  ) {
    this.response = reply.raw;
  }

  /** Ends the stream; safe to call twice. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.timer?.cancel();
    this.response.end();
    this.closed();
    this.onEnd();
  }

  /** Sends the head and a first comment, so that the client knows it is heard. */
  protected begin(greeting: string): void {
    this.response.writeHead(200, { ...this.reply.getHeaders(), ...HEAD } as OutgoingHttpHeaders);
    this.response.on('error', () => this.end());
    this.response.on('drain', () => {
      this.blocked = false;
      this.drained();
    });
    this.write(greeting);
    this.beat();
  }

  protected write(text: string): void {
    if (!this.ended && !this.response.write(text)) this.blocked = true;
  }

  /** Drops the connection without waiting for the client to read what was written. */
  protected breakOff(): void {
    this.end();
    this.response.destroy();
  }

  /** The client has read everything that was sent. */
  protected abstract drained(): void;

  /** Lets go of what was kept for the client. */
  protected closed(): void {}

  /** A field that goes with a sign of life; empty: none does. */
  protected pulse(): string {
    return '';
  }

  private beat(): void {
    this.timer = this.clock.after(HEARTBEAT_MS, () => {
      if (this.ended) return;
      // A client that reads nothing at all is not sent more.
      if (!this.blocked) this.write(`: still here${this.pulse()}\n\n`);
      this.beat();
    });
  }
}
