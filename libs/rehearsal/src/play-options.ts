import type { FlowDefinition, FlowOfTask, TaskRequest } from '#core';
import type { Evaluator } from '#ports';
import type { DoubleOptions } from './double.js';
import type { Stage } from './stage.js';

/** What a play needs besides its flow. */
export interface PlayOptions extends Omit<DoubleOptions, 'scenario'> {
  readonly evaluator: Evaluator;
  /** The flows that child tasks may be of, by their names. */
  readonly flows: ReadonlyMap<string, FlowDefinition>;
}

/** What all tasks of one play have in common. */
export interface PlayedOptions extends PlayOptions, Pick<DoubleOptions, 'scenario'> {
  readonly stage: Stage;
}

/** What a task of a play is made of. */
export interface PlayedFrom {
  readonly flow: FlowOfTask;
  readonly request: TaskRequest;
  readonly taskId: string;
  /** What stands before the ids of its runs, such as `each#2/` for a second child task; or ''. */
  readonly path: string;
}
