import { Injectable } from '@nestjs/common';
import { Problem, problemBody, type ProblemBody, problemOf } from '#nest';
import { createTaskReader } from '../requests/create-task.request.js';
import { type RequestOrigin, TaskIntake } from './task-intake.js';

/** What became of one entry of a batch. */
export type BatchResult =
  | { readonly index: number; readonly status: number; readonly taskId: string }
  | { readonly index: number; readonly status: number; readonly problem: ProblemBody };

/** Takes many requests at once; one bad entry never harms another. */
@Injectable()
export class TaskBatch {
  constructor(private readonly intake: TaskIntake) {}

  /** Side by side, so that the store can write them together. */
  take(
    entries: readonly unknown[],
    origin: RequestOrigin,
    path: string,
  ): Promise<readonly BatchResult[]> {
    return Promise.all(
      entries.map(async (entry, index) => {
        try {
          const request = createTaskReader.read(entry);
          const idempotencyKey = request.idempotencyKey ?? null;
          const { task, replayed } = await this.intake.take(request, { ...origin, idempotencyKey });
          return { index, status: replayed ? 200 : 201, taskId: task.plan.taskId };
        } catch (error) {
          const problem = atEntry(problemOf(error), index);
          return { index, status: problem.status, problem: problemBody(problem, path) };
        }
      }),
    );
  }
}

/** Pointers of an entry's mistakes start at the body of the whole batch. */
function atEntry(problem: Problem, index: number): Problem {
  const errors = problem.errors?.map((fault) => ({
    ...fault,
    pointer: `/tasks/${index}${fault.pointer}`,
  }));
  return new Problem(problem.code, problem.message, errors === undefined ? {} : { errors });
}
