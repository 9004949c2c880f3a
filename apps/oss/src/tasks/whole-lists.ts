import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLimited, type Principal, seesTask } from '#access';
import { isUnreadable, type WalkedTask } from '#ports';
import { hiddenIn } from '../access/hidden-tasks.js';
import { RequestWork } from '../access/request-work.js';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { JSON_TYPE } from './answer-task.js';
import { taskJson, unreadableJson } from './task.presenter.js';
import type { Narrowed } from './task-searches.js';

/** Characters of JSON after which a page ends, though it has fewer tasks than were asked for. */
const LIST_CHARACTERS = 2 * 1_048_576;

/** A client that has not read its page by then reads no more of it, in milliseconds. */
const LIST_MS = 30_000;

/** Pages of whole tasks: bounded in size, few at a time, and written task by task. */
@Injectable()
export class WholeLists {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts,
    private readonly work: RequestWork,
  ) {}

  /** Answers with one page. Throws the `Problem` that too many are being read. */
  async send(
    { principal, query }: Narrowed,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { limit, ...filter } = query;
    const show = (task: WalkedTask['item']): Promise<string> => this.show(task, principal);
    const { leave: free } = await this.work.begin(request, 'export');
    try {
      const tasks = this.options.store.walk(filter)[Symbol.asyncIterator]();
      // Read the first task before the answer begins: the store may refuse.
      const first = await tasks.next();
      reply.type(JSON_TYPE);
      const body = Readable.from(pageOf({ tasks, first, limit, free, show }), {
        objectMode: false,
      });
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

  /** As JSON; empty: the caller does not see it. */
  private async show(task: WalkedTask['item'], principal: Principal): Promise<string> {
    if (isUnreadable(task)) return isLimited(principal) ? '' : unreadableJson(task);
    if (!seesTask(principal, task.plan)) return '';
    return taskJson(task, await hiddenIn(task, principal, this.options));
  }
}

interface Pages {
  readonly tasks: AsyncIterator<WalkedTask>;
  readonly first: IteratorResult<WalkedTask>;
  readonly limit: number;
  readonly show: (task: WalkedTask['item']) => Promise<string>;
  /** Called when the last task was read. */
  readonly free: () => void;
}

async function* pageOf({ first, free, limit, show, tasks }: Pages): AsyncGenerator<string> {
  let count = 0;
  let characters = 0;
  let cursor: string | null = null;
  let next = first;
  yield '{"items":[';
  while (next.done !== true && count < limit && characters < LIST_CHARACTERS) {
    const { item } = next.value;
    const json = await show(item);
    if (json !== '') yield characters === 0 ? json : `,${json}`;
    ({ cursor } = next.value);
    count += 1;
    characters += json.length;
    next = await tasks.next();
  }
  await tasks.return?.();
  free();
  yield `],"page":${JSON.stringify({ nextCursor: next.done === true ? null : cursor })}}\n`;
}
