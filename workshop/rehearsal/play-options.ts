import type { FlowDefinition, FlowOfTask, TaskRequest } from '#core';
import type { Evaluator } from '#ports';
import type { DoubleOptions } from './double.js';
import type { Reach } from './reach.js';
import type { Stage } from './stage.js';

/** Options of a play, apart from its flow. */
export interface PlayOptions extends Omit<DoubleOptions, 'scenario'> {
  readonly evaluator: Evaluator;
  /** The flows that child tasks may be of, by their names. */
  readonly flows: ReadonlyMap<string, FlowDefinition>;
  /** Notes how far the tasks of the play come. */
  readonly reach?: Reach;
}

/** Options that all tasks of one play share. */
export interface PlayedOptions extends PlayOptions, Pick<DoubleOptions, 'scenario'> {
  readonly stage: Stage;
}

/** The inputs from which a task of a play is created. */
export interface PlayedFrom {
  readonly flow: FlowOfTask;
  readonly request: TaskRequest;
  readonly taskId: string;
  /** Prefix of the ids of its runs, such as `each#2/` for a second child task; or ''. */
  readonly path: string;
}
