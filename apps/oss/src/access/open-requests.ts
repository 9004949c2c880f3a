import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOf, principalOf, Problem } from '#http-server';
import { OSS_OPTIONS, type TaskParts } from '../options.js';

/** How many requests of one kind may be open at once, in one process. */
const OPEN_MAX = { taskStreams: 2_000, changeStreams: 1_000, waits: 10_000 };

/** Of these, how large a part may be of one caller, where callers are told apart. */
const CALLER_SHARE = 0.5;

/** A kind of open request. */
type OpenKind = keyof typeof OPEN_MAX;

/** Counts the event streams and waiting requests of each client. */
@Injectable()
export class OpenRequests {
  /** By the kind alone, by the client alone, and by both. */
  private readonly counts = new Map<string, number>();

  constructor(@Inject(OSS_OPTIONS) private readonly options: TaskParts) {}

  /** Counts one more; the result, called once, takes it off. Throws the `Problem` of too many. */
  enter(request: FastifyRequest, kind: OpenKind): () => void {
    const client = callerOf(request);
    const own = `${kind} ${client}`;
    const most = OPEN_MAX[kind];
    const isKnown = principalOf(request).keyId !== null;
    if (this.countOf(kind) >= most) throw tooMany('Too many event streams or waits are open.');
    const isTooMuch =
      this.countOf(` ${client}`) >= this.options.openPerClient ||
      (isKnown && this.countOf(own) >= most * CALLER_SHARE);
    if (isTooMuch) {
      throw tooMany('Too many event streams and waiting requests of this client are open.');
    }
    const names = [kind, ` ${client}`, own];
    for (const name of names) this.counts.set(name, this.countOf(name) + 1);
    return () => {
      for (const name of names) this.leave(name);
    };
  }

  private countOf(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  private leave(name: string): void {
    const left = this.countOf(name) - 1;
    if (left <= 0) this.counts.delete(name);
    else this.counts.set(name, left);
  }
}

function tooMany(detail: string): Problem {
  return new Problem('TOO_MANY_REQUESTS', detail, { headers: { 'retry-after': '5' } });
}
