import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isFinal, type Task } from '#core';
import { principalOf } from '#http-server';
import type { HiddenIds } from '../access/hidden-tasks.js';
import { KeyWatch } from '../access/key-watch.js';
import { OpenRequests } from '../access/open-requests.js';
import { type CommonParts, OSS_OPTIONS, type OutputParts } from '../options.js';
import { type NewsItem, OutputNews } from './output-news.js';
import type { OutputFilter } from './output-lines.js';
import { OutputStream } from './output-stream.js';

/** The order for a stream: its task, its start and its client. */
interface StreamOrder {
  readonly task: Task;
  readonly filter: OutputFilter;
  /** The id of the last line that the client has; undefined: it has none. */
  readonly mark: string | undefined;
  /** The tasks that the task names and that the client does not see. */
  readonly hiding: (task: Task) => HiddenIds;
  /** The request that the stream answers. */
  readonly request: FastifyRequest;
}

/** Keeps the open streams of output, and ends them before the listener closes. */
@Injectable()
export class OutputStreams implements BeforeApplicationShutdown {
  private readonly streams = new Set<OutputStream>();

  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & OutputParts,
    private readonly keyWatch: KeyWatch,
    private readonly openRequests: OpenRequests,
  ) {}

  /** How many streams are open. */
  get size(): number {
    return this.streams.size;
  }

  /** Answers with a stream of lines that ends after the task has ended. */
  async open(
    { filter, hiding, mark, request, task }: StreamOrder,
    reply: FastifyReply,
  ): Promise<void> {
    const { clock, engine, output, progresses } = this.options;
    const { taskId } = task.plan;
    const leave = this.openRequests.enter(request, 'taskStreams');
    const news = new OutputNews({ output, progresses }, { taskId, filter }, mark);
    let first: readonly NewsItem[] | null = null;
    if (mark !== undefined && isFinal(task.status)) {
      first = await news.look().catch((error: unknown) => {
        leave();
        throw error;
      });
      // An `EventSource` connects again whenever a stream ends, except after this status.
      if (first.length === 0) {
        leave();
        reply.code(204).send();
        return;
      }
    }
    // A connection that waits to be used again would hold up a shutdown.
    reply.header('connection', 'close');
    const stream = new OutputStream(reply.hijack(), clock, { news, hiding, task });
    this.streams.add(stream);
    const stopWatching = engine.watch.watch(taskId, (seen) => stream.see(seen));
    const stopAsking = this.keyWatch.watch(principalOf(request), () => stream.end());
    reply.raw.once('close', () => stream.end());
    stream.onEnd = () => {
      leave();
      stopAsking();
      stopWatching();
      this.streams.delete(stream);
    };
    if (request.socket.destroyed) stream.end();
    else stream.start(first);
  }

  beforeApplicationShutdown(): void {
    for (const stream of [...this.streams]) stream.end();
  }
}
