import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { principalOf } from '#http-server';
import { KeyWatch } from '../access/key-watch.js';
import type { ServerEvents } from './server-events.js';

/** The open streams of events, changes and output: they end before the listener closes. */
@Injectable()
export class OpenStreams implements BeforeApplicationShutdown {
  private readonly streams = new Set<ServerEvents>();

  constructor(private readonly keyWatch: KeyWatch) {}

  /** How many streams are open. */
  get size(): number {
    return this.streams.size;
  }

  /** Keeps a stream until its client, the key of its request or this process ends it. */
  keep(stream: ServerEvents, { raw, request }: FastifyReply, atEnd: () => void): void {
    this.streams.add(stream);
    raw.once('close', () => stream.end());
    const stopAsking = this.keyWatch.watch(principalOf(request), () => stream.end());
    stream.onEnd = () => {
      this.streams.delete(stream);
      stopAsking();
      atEnd();
    };
  }

  beforeApplicationShutdown(): void {
    for (const stream of [...this.streams]) stream.end();
  }
}
