import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { clientAddress, principalOf, Problem } from '#http-server';
import { OSS_OPTIONS, type OssOptions } from '../options.js';

/** The name by which a caller is counted: its credential; without one, its address. */
export function callerOf(request: FastifyRequest): string {
  return principalOf(request).keyId ?? clientAddress(request.socket);
}

/** Counts the event streams and waiting requests of each client. */
@Injectable()
export class OpenRequests {
  private readonly counts = new Map<string, number>();

  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** Counts one more; the result, called once, takes it off. Throws the `Problem` of too many. */
  enter(request: FastifyRequest): () => void {
    const client = callerOf(request);
    const count = this.counts.get(client) ?? 0;
    if (count >= this.options.openPerClient) {
      const headers = { 'retry-after': '5' };
      const detail = 'Too many event streams and waiting requests of this client are open.';
      throw new Problem('TOO_MANY_REQUESTS', detail, { headers });
    }
    this.counts.set(client, count + 1);
    return () => this.leave(client);
  }

  private leave(client: string): void {
    const left = (this.counts.get(client) ?? 1) - 1;
    if (left <= 0) this.counts.delete(client);
    else this.counts.set(client, left);
  }
}
