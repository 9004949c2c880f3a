import { COUNT, DocumentFault, FINITE, readList, readStoredJson } from '#core/json';
import { formFault, formOf, nullable, plain, rowsOf, SCOPE, TASK_FORM, unless } from '#core/stored';
import { NO_SCOPES, type Scope, type StepPlan, type Task } from '#core';
import type { JournalChange } from './journal-text.js';
import { type Beside, PLACE } from './places.js';
import {
  decodeRuns,
  encodeRuns,
  type Fragments,
  INLINE_MAX,
  type RunsBase,
  type RunsPlace,
} from './runs-text.js';
import { STATE_FORMAT } from './state-head.js';
import { fromTaskTime, toTaskTime } from './task-time.js';

/** Where the parts of a task are that have texts of their own. */
interface Layout {
  /** Number of the first journal entry that belongs to the task. */
  readonly journalFrom: number;
  /** Segments of the journal beside the row. */
  readonly segments: number;
  /** Of a long task, as `RunsPlace` has them; null: all runs are in the row. */
  readonly reached: number | null;
  readonly warm: number | null;
  /** How many scopes stand beside the row. */
  readonly apart: number;
}

const LAYOUT = formOf<Layout>({
  journalFrom: plain(COUNT),
  segments: unless(plain<number>(COUNT), 0),
  reached: nullable(plain<number>(FINITE)),
  warm: nullable(plain<number>(FINITE)),
  apart: unless(plain<number>(COUNT), 0),
});

const LAYOUTS = rowsOf(LAYOUT);

/** The members that lists show, which are written first; times are task times. */
const SHOWN = ['message', 'cursor', 'startedAt', 'endedAt'] as const;

const IN_COLUMNS = ['plan', 'revision', 'status', 'wakeAt'] as const;
const IN_TEXTS = ['runs', 'scopes', 'journal'] as const;

/** Everything else of a task. */
const RESTS = rowsOf(TASK_FORM, [...SHOWN, ...IN_COLUMNS, ...IN_TEXTS]);

/** The part of a task's state before its runs. */
type Head = readonly [
  format: number,
  message: string | null,
  cursor: number,
  startedAt: number | null,
  endedAt: number | null,
  layout: unknown,
  rest: unknown,
];

/** A task's changing half as text. */
interface EncodedState extends RunsPlace {
  readonly state: string;
  readonly fragments: Fragments;
  /** How many scopes stand each in a text of its own. */
  readonly apart: number;
  /** Texts beside the row that are new or have changed; null: none. */
  readonly beside: Beside | null;
}

const SCOPES = rowsOf(SCOPE);

/** The scopes that were stored before, as far as they are known. */
interface ScopesBase {
  readonly task: Task;
  /** How many of them stand each in a text of its own. */
  readonly apart: number;
}

/**
 * Everything of a task that a commit may change but revision, status, wakeAt and the journal's
 * newest entries.
 */
export function encodeState(
  task: Task,
  base: (RunsBase & ScopesBase) | null,
  { closed, segments }: JournalChange,
): EncodedState {
  const beside: [number, string][] = [];
  const { fragments, inline, reached, warm } = encodeRuns(task, base, beside);
  const apart = encodeScopes(task, base, beside);
  if (closed !== null) beside.push([PLACE.journal + segments - 1, closed]);
  const journalFrom = task.journal.at(0)?.seq ?? task.journalSeq + 1;
  const place = task.runs.length > INLINE_MAX ? { reached, warm } : NO_PLACE;
  const layout = { journalFrom, segments, ...place, apart: task.scopes.length };
  const head = headText(task, layout);
  const state = inline === '' ? `[${head}]` : `[${head},${inline}]`;
  return { state, fragments, reached, warm, apart, beside: beside.length === 0 ? null : beside };
}

const NO_PLACE = { reached: null, warm: null };

/** JSON text of a {@link Head}. */
function headText(task: Task, layout: Layout): string {
  const { cursor, endedAt, message, plan, startedAt } = task;
  const { createdAt } = plan;
  const words = message === null ? 'null' : JSON.stringify(message);
  const times = `${toTaskTime(startedAt, createdAt)},${toTaskTime(endedAt, createdAt)}`;
  const rest = `${LAYOUTS.write(layout, createdAt)},${RESTS.write(task, createdAt)}`;
  return `[${STATE_FORMAT},${words},${cursor},${times},${rest}]`;
}

/** The members of a task that the state text gives. */
interface DecodedState extends RunsPlace, Omit<Layout, 'reached' | 'warm'> {
  /** A task but for what its columns and its journal say. */
  readonly content: Task;
}

/** Where a task's state comes from. */
interface StateSource {
  readonly text: string;
  readonly beside: ReadonlyMap<number, unknown>;
  readonly createdAt: number;
  readonly steps: readonly StepPlan[];
}

/** The state that a text stands for. Throws `DocumentFault`, or whatever its parts throw. */
export function decodeState({ beside, createdAt, steps, text }: StateSource): DecodedState {
  const rows = readList(readStoredJson(text, 'its state') as readonly unknown[], 'its state');
  const [head, ...inline] = rows as readonly [Head, ...unknown[]];
  const [format, message, cursor, startedAt, endedAt, layout, rest] = head;
  if (format !== STATE_FORMAT) {
    throw new DocumentFault(`its state has the unknown format ${format}`);
  }
  const places = LAYOUTS.read(layout, createdAt);
  const fault = formFault(LAYOUT, places, 'its layout');
  if (fault !== null) throw new DocumentFault(fault);
  const { apart, journalFrom, segments } = places;
  const { reached = -1, warm = -1 } = places.reached === null ? {} : (places as RunsPlace);
  const place = places.reached === null ? null : { reached, warm };
  const scopes = decodeScopes(beside, apart, createdAt);
  const content: Task = {
    ...RESTS.read(rest, createdAt),
    message,
    cursor,
    startedAt: fromTaskTime(startedAt, createdAt),
    endedAt: fromTaskTime(endedAt, createdAt),
    runs: decodeRuns({ beside, createdAt, inline, place, scopes, steps }),
    scopes,
  };
  return { content, apart, journalFrom, segments, reached, warm };
}

/** Puts the texts of the scopes that are new or have changed; tells how many stand apart then. */
function encodeScopes(
  { plan, scopes }: Task,
  base: ScopesBase | null,
  beside: [number, string][],
): number {
  const { apart = 0, task } = base ?? {};
  if (scopes === task?.scopes) return apart;
  for (const [n, scope] of scopes.entries()) {
    if (n < apart && scope === task?.scopes[n]) continue;
    beside.push([PLACE.scope + n, SCOPES.write(scope, plan.createdAt)]);
  }
  return scopes.length;
}

/** The scopes that stand beside a row: this number. Throws `DocumentFault`. */
function decodeScopes(
  beside: ReadonlyMap<number, unknown>,
  count: number,
  createdAt: number,
): readonly Scope[] {
  if (count === 0) return NO_SCOPES;
  // There cannot be more than there are texts, whatever the row says.
  if (count > beside.size) throw new DocumentFault('a part of its scopes is missing');
  return Array.from({ length: count }, (_, n) => {
    return SCOPES.read(readStoredJson(beside.get(PLACE.scope + n), `scopes[${n}]`), createdAt);
  });
}
