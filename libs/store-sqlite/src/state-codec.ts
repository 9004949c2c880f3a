import type { JsonObject, StepRuns, Task } from '#core';
import type { LargeOutputs } from './protocol.js';
import { fromRunRow, RUN_TEXT_MAX, type RunRow, toRunRow } from './run-codec.js';
import { fromTaskTime, toTaskTime } from './task-time.js';

/** Format of the state text; a reader refuses one that it does not know. */
const STATE_FORMAT = 1;

/** What a task's state has before its runs. */
type HeadRow = readonly [
  format: number,
  message: string | null,
  cursor: number,
  startedAt: number | null,
  endedAt: number | null,
  token: number,
  alert: RunRow | null,
  alertStep: number | null,
  doneActions: readonly (readonly [key: string, action: string])[],
  journalFrom: number,
  journalSeq: number,
];

type StepRow = readonly [normal: RunRow, rollback: RunRow | null];

/** What is known of the text of a document that was stored before. */
export interface EncodedBase {
  readonly task: Task;
  /** JSON text of each step's runs; null where the document was read and not written. */
  readonly fragments: readonly string[] | null;
}

/** A task's changing half as text. */
export interface EncodedState {
  readonly state: string;
  readonly fragments: readonly string[];
  readonly outputs: LargeOutputs | null;
}

/**
 * Everything of a task that a commit may change but revision, status, wakeAt and the journal's
 * entries.
 */
export function encodeState(task: Task, base: EncodedBase | null): EncodedState {
  const outputs: [number, string][] = [];
  const fragments = encodeRuns(task, base, outputs);
  const state = `[${JSON.stringify(toHeadRow(task))},${fragments.join(',')}]`;
  return { state, fragments, outputs: outputs.length === 0 ? null : outputs };
}

function toHeadRow(task: Task): HeadRow {
  const { alert, doneActions, journalSeq } = task;
  const { createdAt } = task.plan;
  return [
    STATE_FORMAT,
    task.message,
    task.cursor,
    toTaskTime(task.startedAt, createdAt),
    toTaskTime(task.endedAt, createdAt),
    task.token,
    alert === null ? null : toRunRow(alert, createdAt),
    task.alertStep,
    doneActions.map(({ key, action }) => [key, action] as const),
    task.journal[0]?.seq ?? journalSeq + 1,
    journalSeq,
  ];
}

/** What the state text says of a task. */
export type DecodedState = Omit<Task, 'plan' | 'revision' | 'status' | 'wakeAt' | 'journal'> & {
  /** Number of the first journal entry that belongs to the task. */
  readonly journalFrom: number;
};

/** Where a task's state comes from. */
export interface StateSource {
  readonly text: string;
  readonly outputs: LargeOutputs;
  readonly createdAt: number;
}

/** The state that a text stands for. */
export function decodeState({ text, outputs, createdAt }: StateSource): DecodedState {
  const [head, ...steps] = JSON.parse(text) as readonly [HeadRow, ...StepRow[]];
  const [format, message, cursor, startedAt, endedAt, token, ...more] = head;
  if (format !== STATE_FORMAT) throw new Error(`Task state of unknown format ${format}.`);
  const [alert, alertStep, doneActions, journalFrom, journalSeq] = more;
  return {
    message,
    cursor,
    startedAt: fromTaskTime(startedAt, createdAt),
    endedAt: fromTaskTime(endedAt, createdAt),
    token,
    alert: alert === null ? null : fromRunRow(alert, { createdAt, besideOutput: noOutput }),
    alertStep,
    doneActions: doneActions.map(([key, action]) => ({ key, action })),
    journalFrom,
    journalSeq,
    runs: steps.map(([normal, rollback], step): StepRuns => {
      const context = { createdAt, besideOutput: () => besideOutput(outputs, step) };
      return {
        normal: fromRunRow(normal, context),
        rollback: rollback === null ? null : fromRunRow(rollback, context),
      };
    }),
  };
}

/** Runs that are the same objects as before have the same text as before. */
function encodeRuns(
  { plan, runs }: Task,
  base: EncodedBase | null,
  outputs: [number, string][],
): readonly string[] {
  const before = base?.task.runs;
  const fragments = base?.fragments ?? null;
  if (before === runs && fragments !== null) return fragments;
  const encoded: string[] = [];
  for (let step = 0; step < runs.length; step += 1) {
    const now = runs[step]!;
    const was = before?.[step];
    if (fragments !== null && was === now) {
      encoded.push(fragments[step]!);
      continue;
    }
    const text = encodeStep(now, plan.createdAt, false);
    const { output } = now.normal;
    if (text.length <= RUN_TEXT_MAX || output === null) {
      encoded.push(text);
      continue;
    }
    encoded.push(encodeStep(now, plan.createdAt, true));
    // An output that was stored with the run before is kept beside already.
    if (was?.normal.output !== output) outputs.push([step, JSON.stringify(output)]);
  }
  return encoded;
}

/**
 * One flat text. Put together from pieces, it would be a tree of them, which takes several times
 * the room for as long as the task is known, and is walked again with every commit.
 */
function encodeStep({ normal, rollback }: StepRuns, createdAt: number, isSlim: boolean): string {
  const row: StepRow = [
    toRunRow(normal, createdAt, isSlim),
    rollback === null ? null : toRunRow(rollback, createdAt),
  ];
  return JSON.stringify(row);
}

function besideOutput(outputs: LargeOutputs, step: number): JsonObject {
  const found = outputs.find(([position]) => position === step);
  if (found === undefined) throw new Error(`The output of step ${step} is missing.`);
  return JSON.parse(found[1]) as JsonObject;
}

function noOutput(): never {
  throw new Error('Only a normal action has an output.');
}
