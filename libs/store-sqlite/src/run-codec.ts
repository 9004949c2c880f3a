import { NOTHING_TO_UNDO, PENDING_RUN, UNDO_PENDING } from '#core';
import type { ActionRun, JsonObject, Lease, RunState } from '#core';

/** An output longer than this is kept beside the task's row, where later commits do not rewrite it. */
export const INLINE_OUTPUT_MAX = 1_024;

/** Stands for an output that is kept beside. */
const BESIDE = 1;

type RunRow = readonly [
  state: RunState,
  code: number,
  message: string | null,
  startedAt: number | null,
  endedAt: number | null,
  attempts: number,
  spent: number,
  dispatches: number,
  dueAt: number | null,
  deadline: number | null,
  look: ActionRun['look'],
  lease: readonly [owner: string, token: number, until: number] | 0,
  output: JsonObject | typeof BESIDE | null,
];

/** Runs that have not begun are these very objects; all that is stored of them is their state. */
const FRESH: ReadonlySet<ActionRun> = new Set([PENDING_RUN, UNDO_PENDING, NOTHING_TO_UNDO]);

/** A run as JSON text; null for no run. One that has not begun is its state alone. */
export function encodeRun(run: ActionRun | null, output: string): string {
  if (run === null) return 'null';
  if (FRESH.has(run)) return `"${run.state}"`;
  const { startedAt, endedAt, attempts, spent, dispatches, dueAt, deadline } = run;
  return (
    `["${run.state}",${run.code},${quoted(run.message)},${number(startedAt)},${number(endedAt)},` +
    `${attempts},${spent},${dispatches},${number(dueAt)},${number(deadline)},` +
    `"${run.look}",${encodeLease(run.lease)},${output}]`
  );
}

/** JSON text of an output as a run holds it; `keepBeside` gets the text of one that is too large for that. */
export function encodeOutput(
  output: JsonObject | null | undefined,
  keepBeside: (text: string) => void,
): string {
  if (output === null || output === undefined) return 'null';
  const text = JSON.stringify(output);
  if (text.length <= INLINE_OUTPUT_MAX) return text;
  keepBeside(text);
  return String(BESIDE);
}

/** The run that a parsed text stands for. */
export function decodeRun(row: unknown, besideOutput: () => JsonObject): ActionRun | null {
  if (row === null) return null;
  if (row === PENDING_RUN.state) return PENDING_RUN;
  if (row === NOTHING_TO_UNDO.state) return NOTHING_TO_UNDO;
  const [state, code, message, startedAt, endedAt, ...more] = row as RunRow;
  const [attempts, spent, dispatches, dueAt, deadline, look, lease, output] = more;
  return {
    state,
    code,
    message,
    startedAt,
    endedAt,
    attempts,
    spent,
    dispatches,
    dueAt,
    deadline,
    look,
    lease: lease === 0 ? null : decodeLease(lease),
    output: output === BESIDE ? besideOutput() : output,
  };
}

/** JSON text of a number or null. What is not finite has no JSON and must not spoil the row. */
export function number(value: number | null): number | 'null' {
  return Number.isFinite(value) ? (value as number) : 'null';
}

/** JSON text of a text or null. */
export function quoted(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}

function encodeLease(lease: Lease | null): string {
  if (lease === null) return '0';
  return `[${JSON.stringify(lease.owner)},${lease.token},${lease.until}]`;
}

function decodeLease([owner, token, until]: readonly [string, number, number]): Lease {
  return { owner, token, until };
}
