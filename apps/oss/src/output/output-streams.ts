import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { growingDelay, isFinal, type Task } from '#core';
import { type Clock, isOutage, type Timer } from '#ports';
import { type HiddenIds, withoutIds } from '../access/hidden-tasks.js';
import { OpenRequests } from '../access/open-requests.js';
import { OpenStreams } from '../events/open-streams.js';
import { ServerEvents } from '../events/server-events.js';
import { type CommonParts, OSS_OPTIONS, type OutputParts } from '../options.js';
import { type NewsItem, OutputNews } from './output-news.js';
import type { OutputFilter } from './output-lines.js';

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

/** From one look to the next: longer while an attempt is silent, in milliseconds. */
const LOOKS = { firstMs: 1_000, maxMs: 4_000 };

/** Looks after the end of a task: what was written last may be stored a moment later. */
const LAST_LOOKS = 2;

/** The news of a stream, and its task. */
interface StreamSight {
  readonly news: OutputNews;
  /** The id of the last line that the client has; `0`: it has none. */
  readonly from: string;
  readonly hiding: (task: Task) => HiddenIds;
  readonly task: Task;
}

/** Answers with the output of tasks as it comes. */
@Injectable()
export class OutputStreams {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & OutputParts,
    private readonly streams: OpenStreams,
    private readonly openRequests: OpenRequests,
  ) {}

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
      // An `EventSource` connects again whenever a stream ends, except after this status. A process
      // that was killed leaves the progress of its attempts, which is no news of a task that ended.
      if (first.every(({ event }) => event !== 'line')) {
        leave();
        reply.code(204).send();
        return;
      }
    }
    // A connection that waits to be used again would hold up a shutdown.
    reply.header('connection', 'close');
    const stream = new OutputStream(reply.hijack(), clock, {
      news,
      from: mark ?? '0',
      hiding,
      task,
    });
    const stopWatching = engine.watch.watch(taskId, (seen) => stream.see(seen));
    this.streams.keep(stream, reply, () => {
      leave();
      stopWatching();
    });
    if (request.socket.destroyed) stream.end();
    else stream.start(first);
  }
}

/** One client that watches the output of one task. */
class OutputStream extends ServerEvents {
  private task: Task;
  private next: Timer | null = null;
  /** Looks in a row that had no news. */
  private silent = 0;
  private looksLeft = LAST_LOOKS;

  constructor(
    reply: FastifyReply,
    private readonly time: Clock,
    private readonly sight: StreamSight,
  ) {
    super(reply, time);
    this.task = sight.task;
  }

  /**
   * Sends the head, so that the client knows it is heard, and from where it may go on.
   * `first`: a look that was made before.
   */
  start(first: readonly NewsItem[] | null): void {
    this.begin(`: output of a task\nid: ${this.sight.from}\n\n`);
    if (first === null) return void this.look();
    this.tell(first);
    this.lookLater();
  }

  /** The task has changed. */
  see(task: Task): void {
    this.task = task;
    if (!isFinal(task.status) || this.ended) return;
    this.next?.cancel();
    this.lookLater();
  }

  protected override drained(): void {
    this.lookLater();
  }

  protected override closed(): void {
    this.next?.cancel();
  }

  private lookLater(): void {
    this.next?.cancel();
    const wait = isFinal(this.task.status) ? LOOKS.firstMs : growingDelay(LOOKS, this.silent + 1);
    this.next = this.time.after(wait, () => void this.look());
  }

  /** Never rejects: a store that is away is asked again. */
  private async look(): Promise<void> {
    // The client reads slowly; `drained` goes on.
    if (this.ended || this.blocked) return;
    const isOver = isFinal(this.task.status);
    try {
      const items = await this.sight.news.look();
      this.silent = items.length === 0 ? this.silent + 1 : 0;
      this.tell(items);
      this.looksLeft = isOver ? this.looksLeft - 1 : LAST_LOOKS;
    } catch (error) {
      if (!isOutage(error)) return this.end();
      this.silent += 1;
    }
    if (this.ended) return;
    if (isOver && this.looksLeft <= 0) return this.end();
    this.lookLater();
  }

  private tell(items: readonly NewsItem[]): void {
    if (items.length === 0) return;
    const hidden = this.sight.hiding(this.task);
    this.write(items.map((item) => eventText(item, hidden)).join(''));
  }
}

function eventText({ data, event, id }: NewsItem, hidden: HiddenIds): string {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${withoutIds(JSON.stringify(data), hidden)}\n\n`;
}
