import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '#access';
import type { Task } from '#core';
import { expectNoParameters, principalOf } from '#http-server';
import { countHolding, type LockEntry, type LockLine, TaskUnreadable } from '#ports';
import { hiddenAmong, type HiddenIds } from '../access/hidden-tasks.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';

/** A task that holds a lock or waits for it. */
interface PublicPlace {
  readonly taskId: string;
  /** ISO 8601: when it had the lock, or asked for it. */
  readonly since: string;
}

/** A lock as HTTP shows it. */
interface PublicLock {
  readonly name: string;
  readonly slots: number;
  readonly holders: readonly PublicPlace[];
  readonly waiting: readonly PublicPlace[];
}

/** All locks, as HTTP shows them. */
interface PublicLocks {
  readonly items: readonly PublicLock[];
  /** There are more than are shown. */
  readonly isCut: boolean;
}

/** Most locks of an answer. */
const LOCKS_MAX = 1_000;

/** Most tasks of an answer that wait for one lock. */
const WAITING_MAX = 1_000;

/** Lines that are read at a time. */
const AT_ONCE = 50;

/** Most lines that are read for an answer, of which a caller with limits may see few. */
const LINES_MAX = 10_000;

/** Shows who holds which lock, and who waits for it. */
@Controller('v1/locks')
export class LocksController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** Every lock that somebody holds or waits for, by its name. */
  @Get()
  async list(@Query() query: unknown, @Req() request: FastifyRequest): Promise<PublicLocks> {
    expectNoParameters(query);
    const items: PublicLock[] = [];
    let after: string | undefined;
    let isMore = true;
    for (let read = 0; isMore && read < LINES_MAX && items.length <= LOCKS_MAX; read += AT_ONCE) {
      const lines = await this.options.locks.listLines({ after, limit: AT_ONCE });
      items.push(...(await this.presentAll(lines, principalOf(request))));
      isMore = lines.length === AT_ONCE;
      after = lines.at(-1)?.name;
    }
    return { items: items.slice(0, LOCKS_MAX), isCut: isMore || items.length > LOCKS_MAX };
  }

  /** The locks that the caller sees: those that a task of his holds or waits for. */
  private async presentAll(
    lines: readonly LockLine[],
    principal: Principal,
  ): Promise<readonly PublicLock[]> {
    const ids = lines.flatMap(({ entries }) => entries.map(({ taskId }) => taskId));
    const hidden = await hiddenAmong(ids, principal, this.options);
    const locks = await Promise.all(lines.map((line) => this.present(line, hidden)));
    return locks.filter(({ holders, waiting }) => holders.length > 0 || waiting.length > 0);
  }

  private async present({ entries, name }: LockLine, hidden: HiddenIds): Promise<PublicLock> {
    const count = countHolding(entries);
    const slots = Math.min(...entries.slice(0, count + 1).map((entry) => entry.slots));
    const isSeen = ({ taskId }: LockEntry): boolean => !hidden.has(taskId);
    const held = entries.slice(0, count).filter(isSeen);
    const waiting = entries.slice(count).filter(isSeen).slice(0, WAITING_MAX);
    const holders = await Promise.all(held.map((entry) => this.heldPlace(entry)));
    return { name, slots, holders, waiting: waiting.map(plainPlace) };
  }

  private async heldPlace(entry: LockEntry): Promise<PublicPlace> {
    const task = await this.taskOf(entry);
    const ticket = task?.locks.find(({ number }) => number === entry.number);
    return plainPlace({ ...entry, since: ticket?.heldAt ?? entry.since });
  }

  private async taskOf({ taskId }: LockEntry): Promise<Task | null> {
    return this.options.store.get(taskId).catch((error: unknown) => {
      if (error instanceof TaskUnreadable) return null;
      throw error;
    });
  }
}

function plainPlace({ since, taskId }: LockEntry): PublicPlace {
  return { taskId, since: new Date(since).toISOString() };
}
