import { Inject, Injectable } from '@nestjs/common';
import { nextTurn, Problem, problemBody, type ProblemBody, problemOf } from '#http-server';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import type { BatchRequest } from '../requests/batch.request.js';
import { createTaskReader } from '../requests/create-task.request.js';
import { isJsonObject } from '../requests/decorators.js';
import { type RequestOrigin, type TakenTask, TaskIntake } from './task-intake.js';

/** The result of one entry of a batch. */
type BatchResult =
  | { readonly index: number; readonly status: number; readonly taskId: string }
  | { readonly index: number; readonly status: number; readonly problem: ProblemBody };

/** Most mistakes that the answer to a batch lists, whichever entries they are of. */
const BATCH_ERRORS_MAX = 200;

/** Entries are read for so long before others have their turn. */
const TURN_MS = 8;

/** Takes many requests at once; one bad entry never harms another. */
@Injectable()
export class TaskBatch {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: Pick<OssOptions, 'clock'>,
    private readonly intake: TaskIntake,
  ) {}

  /**
   * Side by side, so that the store can write them together; with turns for everybody else in
   * between, as a thousand entries take long to read.
   */
  async take(
    { batch, tasks }: BatchRequest,
    origin: RequestOrigin,
    path: string,
  ): Promise<readonly BatchResult[]> {
    const entries = batch === undefined ? tasks : tasks.map((entry) => inBatch(entry, batch));
    const taken = await this.takeAll(entries, origin);
    let room = BATCH_ERRORS_MAX;
    return taken.map((one, index) => {
      if (!(one instanceof Problem)) {
        return { index, status: one.replayed ? 200 : 201, taskId: one.task.plan.taskId };
      }
      const problem = atEntry(one, index, room);
      room -= problem.errors?.length ?? 0;
      return { index, status: problem.status, problem: problemBody(problem, path) };
    });
  }

  private async takeAll(
    entries: readonly unknown[],
    origin: RequestOrigin,
  ): Promise<readonly (TakenTask | Problem)[]> {
    const { clock } = this.options;
    const taking: Promise<TakenTask | Problem>[] = [];
    let since = clock.monotonic();
    for (const entry of entries) {
      taking.push(this.takeOne(entry, origin));
      if (clock.monotonic() - since < TURN_MS) continue;
      await nextTurn();
      since = clock.monotonic();
    }
    return Promise.all(taking);
  }

  private async takeOne(entry: unknown, origin: RequestOrigin): Promise<TakenTask | Problem> {
    try {
      const request = createTaskReader.read(entry);
      const idempotencyKey = request.idempotencyKey ?? null;
      return await this.intake.take(request, { ...origin, idempotencyKey });
    } catch (error) {
      return problemOf(error);
    }
  }
}

/** An entry with the label of its batch, unless it gives one itself; whatever else stays. */
function inBatch(entry: unknown, batch: string): unknown {
  if (!isJsonObject(entry)) return entry;
  const { labels = {} } = entry;
  return isJsonObject(labels) ? { ...entry, labels: { batch, ...labels } } : entry;
}

/**
 * Pointers of an entry's mistakes start at the body of the whole batch. As many mistakes are kept
 * as there is room for, and always one.
 */
function atEntry(
  { code, errors, message, moreErrors }: Problem,
  index: number,
  room: number,
): Problem {
  if (errors === undefined) return new Problem(code, message);
  const listed = errors
    .slice(0, Math.max(1, room))
    .map((fault) => ({ ...fault, pointer: `/tasks/${index}${fault.pointer}` }));
  const left = errors.length - listed.length;
  return new Problem(code, message, { errors: listed, moreErrors: moreErrors + left });
}
