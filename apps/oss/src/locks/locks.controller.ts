import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isLimited, type Principal, seesTask } from '#access';
import type { Task } from '#core';
import { expectNoParameters, principalOf } from '#http-server';
import { countHolding, type LockEntry, type LockLine, TaskUnreadable } from '#ports';
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

/** Shows who holds which lock, and who waits for it. */
@Controller('v1/locks')
export class LocksController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** Every lock that somebody holds or waits for, by its name. */
  @Get()
  async list(@Query() query: unknown, @Req() request: FastifyRequest): Promise<PublicLocks> {
    expectNoParameters(query);
    const principal = principalOf(request);
    const lines = await this.options.locks.listLines({ limit: LOCKS_MAX + 1 });
    const items: PublicLock[] = [];
    for (let from = 0; from < Math.min(lines.length, LOCKS_MAX); from += AT_ONCE) {
      const page = lines.slice(from, Math.min(from + AT_ONCE, LOCKS_MAX));
      items.push(...(await Promise.all(page.map((line) => this.present(line, principal)))));
    }
    const isSeen = ({ holders, waiting }: PublicLock): boolean =>
      holders.length > 0 || waiting.length > 0;
    return { items: items.filter(isSeen), isCut: lines.length > LOCKS_MAX };
  }

  private async present({ entries, name }: LockLine, principal: Principal): Promise<PublicLock> {
    const count = countHolding(entries);
    const waiting = entries.slice(count, count + WAITING_MAX);
    const slots = Math.min(...entries.slice(0, count + 1).map((entry) => entry.slots));
    const held = await this.presentAll(entries.slice(0, count), principal, true);
    // Of what somebody may see all of, the documents need not be looked at.
    const isAll = !isLimited(principal);
    const others = isAll ? waiting.map(plainPlace) : this.presentAll(waiting, principal, false);
    return { name, slots, holders: held, waiting: await others };
  }

  private async presentAll(
    entries: readonly LockEntry[],
    principal: Principal,
    isHeld: boolean,
  ): Promise<readonly PublicPlace[]> {
    const places = entries.map(async (entry): Promise<readonly PublicPlace[]> => {
      const task = await this.taskOf(entry);
      if (task === null) return isLimited(principal) ? [] : [plainPlace(entry)];
      if (!seesTask(principal, task.plan)) return [];
      const ticket = task.locks.find(({ number }) => number === entry.number);
      const since = (isHeld ? ticket?.heldAt : null) ?? entry.since;
      return [plainPlace({ ...entry, since })];
    });
    return (await Promise.all(places)).flat();
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
