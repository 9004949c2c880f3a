import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Problem } from '#http-server';
import { isUnreadable, type TaskQuery, type WalkedTask } from '#ports';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { taskJson, unreadableJson } from './task.presenter.js';

/** Lists of whole tasks that may be read at once, in one process. */
const LISTS_MAX = 4;

/** Characters of JSON after which a page ends, though it has fewer tasks than were asked for. */
const LIST_CHARACTERS = 2 * 1_048_576;

/** A client that has not read its page by then reads no more of it, in milliseconds. */
const LIST_MS = 30_000;

/** Pages of whole tasks: bounded in size, few at a time, and written task by task. */
@Injectable()
export class WholeLists {
  private open = 0;

  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** Answers with one page. Throws the `Problem` that too many are being read. */
  async send({ limit, ...filter }: TaskQuery, reply: FastifyReply): Promise<void> {
    if (this.open >= LISTS_MAX) {
      const headers = { 'retry-after': '1' };
      const detail = 'Too many lists of whole tasks are being read; summaries are not limited.';
      throw new Problem('TOO_MANY_REQUESTS', detail, { headers });
    }
    const free = this.takePlace();
    try {
      const tasks = this.options.store.walk(filter)[Symbol.asyncIterator]();
      // Read the first task before the answer begins: the store may refuse.
      const first = await tasks.next();
      reply.type('application/json; charset=utf-8');
      const body = Readable.from(pageOf({ tasks, first, limit, free }), { objectMode: false });
      const timer = this.options.clock.after(LIST_MS, () => body.destroy());
      body.once('close', () => {
        timer.cancel();
        free();
      });
      reply.send(body);
    } catch (error) {
      free();
      throw error;
    }
  }

  /** Gives the place back; safe to call twice. */
  private takePlace(): () => void {
    this.open += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.open -= 1;
      isTaken = false;
    };
  }
}

interface Pages {
  readonly tasks: AsyncIterator<WalkedTask>;
  readonly first: IteratorResult<WalkedTask>;
  readonly limit: number;
  /** Called when the last task was read. */
  readonly free: () => void;
}

async function* pageOf({ first, free, limit, tasks }: Pages): AsyncGenerator<string> {
  let count = 0;
  let characters = 0;
  let cursor: string | null = null;
  let next = first;
  yield '{"items":[';
  while (next.done !== true && count < limit && characters < LIST_CHARACTERS) {
    const { item } = next.value;
    const json = isUnreadable(item) ? unreadableJson(item) : taskJson(item);
    yield count === 0 ? json : `,${json}`;
    ({ cursor } = next.value);
    count += 1;
    characters += json.length;
    next = await tasks.next();
  }
  await tasks.return?.();
  free();
  yield `],"page":${JSON.stringify({ nextCursor: next.done === true ? null : cursor })}}`;
}
