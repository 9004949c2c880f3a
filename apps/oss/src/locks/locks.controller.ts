import { Controller, Inject } from '@nestjs/common';
import type { Principal } from '#access';
import { statusName, type Task } from '#core';
import { runIdOf } from '#core/scopes';
import type { TaskSummary } from '#core/stored';
import {
  countHolding,
  isUnreadable,
  type LockEntry,
  type LockLine,
  nullWhereUnreadable,
} from '#ports';
import { hiddenAmong, type HiddenIds } from '../access/hidden-tasks.js';
import { RequestWork } from '../access/request-work.js';
import { type CommonParts, type ExecutorParts, OSS_OPTIONS } from '../options.js';
import { LOCK_ROUTES } from './locks.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import { cursorAfter, placeBefore } from '../requests/page.query.js';
import { type Shown, timeText } from '../requests/shown.js';

/** A task that holds a lock or waits for it. */
type PublicPlace = PublicLock['holders'][number];

/** A lock as HTTP shows it. */
type PublicLock = PublicLocks['items'][number];

/** A page of locks, as HTTP shows them. */
type PublicLocks = Shown<'Locks'>;

type AskedLocks = Asked<typeof LOCK_ROUTES.listLocks>;

/** Most tasks of an answer that wait for one lock. */
const WAITING_MAX = 1_000;

/** Places of a line whose tasks are read for their step. */
const STEPS_MAX = 20;

/** Tasks that are looked up at a time. */
const SUMMARIES = 200;

/** Lines that are read at a time. */
const AT_ONCE = 50;

/** Most lines that are read for a page, of which a caller with limits may see few. */
const LINES_MAX = 10_000;

/** Shows who holds which lock, and who waits for it. */
@Controller()
export class LocksController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & ExecutorParts,
    private readonly work: RequestWork,
  ) {}

  /** Locks that a task holds or waits for, by their names. */
  @Handles(LOCK_ROUTES.listLocks)
  list(asked: AskedLocks): Promise<PublicLocks> {
    return this.work.run(asked.request, 'read', () => this.read(asked));
  }

  private async read({ principal, query: { cursor, limit } }: AskedLocks): Promise<PublicLocks> {
    const found: PublicLock[] = [];
    let after = cursor === undefined ? undefined : placeBefore(cursor);
    let isMore = true;
    for (let read = 0; isMore && read < LINES_MAX && found.length <= limit; read += AT_ONCE) {
      const lines = await this.options.locks.listLines({ after, limit: AT_ONCE });
      found.push(...(await this.presentAll(lines, principal)));
      isMore = lines.length === AT_ONCE;
      after = isMore ? lines.at(-1)?.name : undefined;
    }
    const items = found.slice(0, limit);
    // Lines that the caller does not see are passed over as well.
    const last = found.length > limit ? items.at(-1)?.name : after;
    return { items, page: { nextCursor: last === undefined ? null : cursorAfter(last) } };
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
    const summaries = await this.summariesOf([...held, ...waiting].map(({ taskId }) => taskId));
    const place = async (entry: LockEntry, at: number): Promise<PublicPlace> => {
      const { taskId } = entry;
      const summary = summaries.get(taskId) ?? null;
      const { since, step } =
        at < STEPS_MAX ? await this.ticketOf(entry) : { ...entry, step: null };
      const flow = summary === null ? null : summary.flow;
      const status = summary === null ? null : statusName(summary.status);
      return { taskId, since: timeText(since), flow, status, step };
    };
    const [holders, waits] = await Promise.all(
      [held, waiting].map((entries) => Promise.all(entries.map(place))),
    );
    return { name, slots, holders: holders ?? [], waiting: waits ?? [] };
  }

  private async summariesOf(ids: readonly string[]): Promise<ReadonlyMap<string, TaskSummary>> {
    const found = new Map<string, TaskSummary>();
    for (let from = 0; from < ids.length; from += SUMMARIES) {
      const items = await this.options.changes.summaries(ids.slice(from, from + SUMMARIES));
      for (const item of items) if (!isUnreadable(item)) found.set(item.taskId, item);
    }
    return found;
  }

  /** The moment since which it holds or waits, and the run that asked. */
  private async ticketOf(
    entry: LockEntry,
  ): Promise<{ readonly since: number; readonly step: string | null }> {
    const task = await this.taskOf(entry);
    const ticket = task?.locks.find(({ number }) => number === entry.number);
    const step = ticket?.step ?? null;
    return {
      since: ticket?.heldAt ?? entry.since,
      step: task === null || step === null ? null : runIdOf(task, step),
    };
  }

  private taskOf({ taskId }: LockEntry): Promise<Task | null> {
    return this.options.store.get(taskId).catch(nullWhereUnreadable);
  }
}
