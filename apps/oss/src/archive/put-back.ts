import { Inject, Injectable } from '@nestjs/common';
import type { Task } from '#core';
import { putBack, readArchivedTask } from '#core/stored';
import { readJson, WrongJson } from '#json';
import { TaskUnreadable } from '#ports';
import { type CommonParts, OSS_OPTIONS } from '../options.js';

/**
 * The result of one line. `present`: a task of this id is there, and stays as it is. `refused`:
 * `message` says why.
 */
export interface PutBackReport {
  readonly index: number;
  readonly result: 'imported' | 'present' | 'refused';
  /** Null: the line tells of none. */
  readonly taskId: string | null;
  readonly message: string | null;
}

type Outcome = Omit<PutBackReport, 'index'>;

/** Lists and objects of a line may be nested so deep: those of its task's content, and its own. */
const DEPTH_MAX = 100;

/** Lines that are stored at a time. */
const AT_ONCE = 50;

/** Puts final tasks of archives back into the store. */
@Injectable()
export class PutBack {
  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts) {}

  /**
   * Stores the tasks of all lines, or of some once `signal` is aborted; a report for each. Throws
   * `StoreUnavailable`; idempotent.
   */
  async takeAll(lines: readonly string[], signal: AbortSignal): Promise<readonly PutBackReport[]> {
    const reports: PutBackReport[] = [];
    for (let from = 0; from < lines.length && !signal.aborted; from += AT_ONCE) {
      const page = lines.slice(from, from + AT_ONCE);
      const outcomes = await Promise.all(page.map((line) => this.take(line)));
      for (const [n, outcome] of outcomes.entries()) reports.push({ index: from + n, ...outcome });
    }
    return reports;
  }

  private async take(line: string): Promise<Outcome> {
    const task = readLine(line);
    if ('fault' in task) return { result: 'refused', taskId: null, message: task.fault };
    const { taskId } = task.plan;
    if (await this.isThere(taskId)) return { result: 'present', taskId, message: null };
    const stored = await this.options.store.insert(putBack(task, this.options.clock.now()));
    if (stored.kind === 'duplicate' || stored.kind === 'reserved') {
      const holder = stored.kind === 'reserved' ? stored.taskId : stored.task.plan.taskId;
      const message = `its idempotency key belongs to task ${holder} now`;
      return { result: 'refused', taskId, message };
    }
    return { result: stored.kind === 'inserted' ? 'imported' : 'present', taskId, message: null };
  }

  private async isThere(taskId: string): Promise<boolean> {
    try {
      return (await this.options.store.get(taskId)) !== null;
    } catch (error) {
      if (error instanceof TaskUnreadable) return true;
      throw error;
    }
  }
}

function readLine(line: string): Task | { readonly fault: string } {
  try {
    // Its bytes were counted with the body that brought it.
    const value = readJson(line, { bytes: Infinity, depth: DEPTH_MAX, isOwn: true });
    return readArchivedTask(value);
  } catch (error) {
    if (error instanceof WrongJson) return { fault: wordsOf(error) };
    throw error;
  }
}

function wordsOf({ code, isNotJson, sentence }: WrongJson): string {
  if (isNotJson) return 'is not JSON';
  return code === 'TOO_DEEP' ? 'is nested too deeply' : sentence;
}
