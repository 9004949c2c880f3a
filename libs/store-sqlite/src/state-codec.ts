import type { ActionRun, DoneAction, JsonObject, StepRuns, Task } from '#core';
import type { LargeOutputs } from './protocol.js';
import { decodeRun, encodeOutput, encodeRun, number, quoted } from './run-codec.js';

/** Format of the state text; a reader refuses one that it does not know. */
const STATE_FORMAT = 1;

type StateRow = readonly [
  format: number,
  message: string | null,
  cursor: number,
  startedAt: number | null,
  endedAt: number | null,
  token: number,
  alert: unknown,
  alertStep: number | null,
  doneActions: readonly (readonly [key: string, action: string])[],
  journalFrom: number,
  journalSeq: number,
  runs: readonly (readonly [normal: unknown, rollback: unknown])[],
];

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

/** Everything of a task that a commit may change but revision, status, wakeAt and the journal's entries. */
export function encodeState(task: Task, base: EncodedBase | null): EncodedState {
  const outputs: [number, string][] = [];
  const fragments = encodeRuns(task, base, outputs);
  const { alert, doneActions, journal, journalSeq } = task;
  const done = doneActions.length === 0 ? '' : doneActions.map(encodeDoneAction).join(',');
  const journalFrom = journal[0]?.seq ?? journalSeq + 1;
  const state =
    `[${STATE_FORMAT},${quoted(task.message)},${task.cursor},${number(task.startedAt)},` +
    `${number(task.endedAt)},${task.token},${encodeRun(alert, encodeAlertOutput(alert))},` +
    `${number(task.alertStep)},[${done}],${journalFrom},${journalSeq},[${fragments.join(',')}]]`;
  return { state, fragments, outputs: outputs.length === 0 ? null : outputs };
}

/** The state that a text stands for, and the number of the first journal entry that belongs to it. */
export function decodeState(text: string, outputs: LargeOutputs): DecodedState {
  const [format, message, cursor, startedAt, endedAt, token, ...more] = JSON.parse(
    text,
  ) as StateRow;
  if (format !== STATE_FORMAT) throw new Error(`Task state of unknown format ${format}.`);
  const [alert, alertStep, doneActions, journalFrom, journalSeq, runs] = more;
  return {
    message,
    cursor,
    startedAt,
    endedAt,
    token,
    alert: decodeRun(alert, () => ({})),
    alertStep,
    doneActions: doneActions.map(([key, action]) => ({ key, action })),
    journalFrom,
    journalSeq,
    runs: runs.map(([normal, rollback], step) => decodeRuns([normal, rollback, step], outputs)),
  };
}

/** What the state text says of a task. */
export type DecodedState = Omit<Task, 'plan' | 'revision' | 'status' | 'wakeAt' | 'journal'> & {
  readonly journalFrom: number;
};

/** Runs that are the same objects as before have the same text as before. */
function encodeRuns(
  { runs }: Task,
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
    if (fragments !== null && was === now) encoded.push(fragments[step]!);
    else encoded.push(encodeStep(now, was?.normal, (text) => outputs.push([step, text])));
  }
  return encoded;
}

function encodeStep(
  { normal, rollback }: StepRuns,
  before: ActionRun | undefined,
  keepBeside: (text: string) => void,
): string {
  // An output that was stored with the run before is kept beside already.
  const keep = before !== undefined && before.output === normal.output ? ignore : keepBeside;
  const rollbackOutput = JSON.stringify(rollback?.output ?? null);
  return `[${encodeRun(normal, encodeOutput(normal.output, keep))},${encodeRun(rollback, rollbackOutput)}]`;
}

function ignore(): void {
  // Nothing is to be kept.
}

function encodeAlertOutput(alert: ActionRun | null): string {
  return alert === null ? 'null' : JSON.stringify(alert.output);
}

function encodeDoneAction({ key, action }: DoneAction): string {
  return `[${JSON.stringify(key)},${JSON.stringify(action)}]`;
}

function decodeRuns(
  [normal, rollback, step]: readonly [unknown, unknown, number],
  outputs: LargeOutputs,
): StepRuns {
  const beside = (): JsonObject => {
    const found = outputs.find(([position]) => position === step);
    if (found === undefined) throw new Error(`The output of step ${step} is missing.`);
    return JSON.parse(found[1]) as JsonObject;
  };
  const run = decodeRun(normal, beside);
  if (run === null) throw new Error(`Step ${step} has no normal action.`);
  return { normal: run, rollback: decodeRun(rollback, beside) };
}
