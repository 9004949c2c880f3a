import {
  firstRunsOf,
  isActive,
  type JsonObject,
  NOTHING_TO_UNDO,
  PENDING_RUN,
  type Scope,
  type StepPlan,
  type StepRuns,
  type Task,
} from '#core';
import { DocumentFault, readStoredJson } from '#core/json';
import { changedSteps } from '#core/scopes';
import { rowsOf, RUNS } from '#core/stored';
import { PLACE } from './places.js';

const STEPS = rowsOf(RUNS);

/**
 * A step longer than this keeps its output beside the task's row, where later commits do not
 * rewrite it.
 */
const STEP_TEXT_MAX = 1_024;

/** Stands for an output that is kept beside. */
const BESIDE = 1;

/** A task of no more steps has its runs in its row. */
export const INLINE_MAX = 16;

/**
 * Steps of a chunk. A longer task has the chunk that was written last in its row, and the others
 * that were reached beside it: so a commit writes what it changed, and a chain of steps mostly
 * writes one row, as a short task does.
 */
const CHUNK = 8;

/** The JSON text of the runs of each step of a chunk. */
interface ChunkTexts {
  readonly chunk: number;
  readonly texts: readonly string[];
}

/**
 * The texts that the next write is likely to need again: of a long task those of the chunk in the
 * row, and of others with an action under way. The texts of all its steps would be kept for as long
 * as the task runs, and copied with every write.
 */
export type Fragments = readonly ChunkTexts[];

/** Where the runs of a long task are. */
export interface RunsPlace {
  /** The last chunk that was reached; -1: none. */
  readonly reached: number;
  /** The chunk in the row; -1: none. */
  readonly warm: number;
}

/** The runs that were stored before, as far as they are known. */
export interface RunsBase extends RunsPlace {
  readonly task: Task;
  readonly fragments: Fragments | null;
}

/** A task's runs as a write stores them. */
interface EncodedRuns extends RunsPlace {
  /** The part of them in the row. */
  readonly inline: string;
  readonly fragments: Fragments;
}

/** Runs that are the same objects as before have the same text as before. */
export function encodeRuns(
  task: Task,
  base: RunsBase | null,
  beside: [number, string][],
): EncodedRuns {
  const { length } = task.runs;
  if (length > INLINE_MAX) return encodeChunks(task, base, beside);
  const texts = encodeSteps(
    task,
    { from: 0, end: length },
    { base, known: textsOf(base, 0), beside },
  );
  return { inline: joined(texts), fragments: [{ chunk: 0, texts }], reached: -1, warm: -1 };
}

/** The texts as entries of a list. It is sent at once: nobody needs it in one piece. */
function joined(texts: readonly string[]): string {
  let all = '';
  for (const text of texts) all += all === '' ? text : `,${text}`;
  return all;
}

function textsOf(base: RunsBase | null, chunk: number): readonly string[] | undefined {
  for (const known of base?.fragments ?? []) if (known.chunk === chunk) return known.texts;
  return undefined;
}

function encodeChunks(task: Task, base: RunsBase | null, beside: [number, string][]): EncodedRuns {
  const chunks = changedChunks(task, base);
  const { reached: wasReached, warm: wasWarm } = base ?? { reached: -1, warm: -1 };
  const warm = chunks.at(-1) ?? wasWarm;
  if (warm < 0) return { inline: '', fragments: [], reached: -1, warm };
  // The chunk in the row leaves it with this write, or stays there as it is.
  if (wasWarm >= 0 && !chunks.includes(wasWarm)) chunks.push(wasWarm);
  const fragments = (base?.fragments ?? []).filter(({ chunk }) => !chunks.includes(chunk));
  let inline = '';
  for (const chunk of chunks) {
    const texts = encodeChunk(task, chunk, { base, beside });
    const text = joined(texts);
    if (chunk === warm) inline = text;
    else beside.push([PLACE.runs + chunk, text]);
    if (chunk === warm || isOpen(task, chunk)) fragments.push({ chunk, texts });
  }
  return { inline, fragments, reached: Math.max(wasReached, warm), warm };
}

/** Whether an action of the chunk's steps is under way. */
function isOpen({ runs }: Task, chunk: number): boolean {
  const from = chunk * CHUNK;
  const end = Math.min(from + CHUNK, runs.length);
  for (let step = from; step < end; step += 1) {
    const { normal, rollback } = runs[step]!;
    if (isActive(normal) || (rollback !== null && isActive(rollback))) return true;
  }
  return false;
}

/** Chunks with a run that changed, in their order, and those before them that were never stored. */
function changedChunks(task: Task, base: RunsBase | null): number[] {
  // Of a task that nothing is known of, everything is written that was reached.
  const before = base?.task ?? { ...task, runs: firstRunsOf(task.plan.steps) };
  const chunks: number[] = [];
  let missing = (base?.reached ?? -1) + 1;
  for (const step of changedSteps(before, task)) {
    const chunk = Math.floor(step / CHUNK);
    if (chunk === chunks.at(-1)) continue;
    for (; missing < chunk; missing += 1) chunks.push(missing);
    missing = Math.max(missing, chunk + 1);
    chunks.push(chunk);
  }
  return chunks;
}

/** The inputs that the texts of steps are made from. */
interface Making {
  readonly base: RunsBase | null;
  /** The texts as they were, from the same step on. */
  readonly known: readonly string[] | undefined;
  readonly beside: [number, string][];
}

/** The texts of the steps of a chunk. */
function encodeChunk(
  task: Task,
  chunk: number,
  { base, beside }: Pick<Making, 'base' | 'beside'>,
): readonly string[] {
  const from = chunk * CHUNK;
  const end = Math.min(from + CHUNK, task.runs.length);
  return encodeSteps(task, { from, end }, { base, known: textsOf(base, chunk), beside });
}

function encodeSteps(
  task: Task,
  { end, from }: { readonly from: number; readonly end: number },
  { base, beside, known }: Making,
): readonly string[] {
  const { runs } = task;
  const before = base?.task.runs;
  const fragments: string[] = [];
  for (let step = from; step < end; step += 1) {
    const was = before?.[step];
    const found = was === runs[step] ? known?.[step - from] : undefined;
    fragments.push(found ?? encodeStep(task, step, { was, beside }));
  }
  return fragments;
}

function encodeStep(
  { plan, runs }: Task,
  step: number,
  { beside, was }: { was: StepRuns | undefined; beside: [number, string][] },
): string {
  const now = runs[step] as StepRuns;
  const { createdAt } = plan;
  const text = stepText(now, createdAt);
  const { output } = now.normal;
  if (text.length <= STEP_TEXT_MAX || output === null) return text;
  // An output that was stored with the run before is kept beside already.
  if (was?.normal.output !== output) beside.push([step, JSON.stringify(output)]);
  const slim = { ...now.normal, output: BESIDE as unknown as JsonObject };
  return stepText({ ...now, normal: slim }, createdAt);
}

/** Texts of steps that were not reached: nearly all of a new task's are one of these. */
const FRESH = { generation: 1, normal: PENDING_RUN };
const NOT_REACHED = STEPS.write({ ...FRESH, rollback: null }, 0);
const NOT_REACHED_UNDOABLE = STEPS.write({ ...FRESH, rollback: NOTHING_TO_UNDO }, 0);

function stepText(step: StepRuns, createdAt: number): string {
  const { generation, normal, rollback } = step;
  if (normal === PENDING_RUN && generation === 1) {
    if (rollback === null) return NOT_REACHED;
    if (rollback === NOTHING_TO_UNDO) return NOT_REACHED_UNDOABLE;
  }
  return flat(STEPS.write(step, createdAt));
}

/**
 * The same text without the pieces that it was put together from. A tree of them takes several
 * times the room for as long as the task is known, and is walked again with every commit.
 */
function flat(text: string): string {
  // The engine makes one piece of a text when it is asked for a character of it.
  return Number.isNaN(text.charCodeAt(0)) ? '' : text;
}

/** Where a task's runs come from. */
interface RunsSource {
  readonly createdAt: number;
  readonly steps: readonly StepPlan[];
  readonly scopes: readonly Scope[];
  /** Texts beside the row by their places. */
  readonly beside: ReadonlyMap<number, unknown>;
  /** The part of them in the row. */
  readonly inline: readonly unknown[];
  /** Null: all runs are in the row. */
  readonly place: RunsPlace | null;
}

/** The runs that are stored. Throws `DocumentFault`. */
export function decodeRuns(source: RunsSource): readonly StepRuns[] {
  const { beside, createdAt, inline, place, steps } = source;
  const rows = place === null ? inline : chunkRows(source, place);
  const runs = rows.map((row, step): StepRuns => {
    const read = STEPS.read(row, createdAt);
    if ((read?.normal?.output as unknown) !== BESIDE) return read;
    return { ...read, normal: { ...read.normal, output: outputOf(beside, step) } };
  });
  // The block of a scope is written as a whole when it begins.
  if (place === null || source.scopes.length > 0) return runs;
  return runs.concat(firstRunsOf(steps).slice(runs.length));
}

function chunkRows(
  { beside, inline, scopes, steps }: RunsSource,
  { reached, warm }: RunsPlace,
): readonly unknown[] {
  const end = scopes.length > 0 ? Infinity : steps.length;
  const rows: unknown[] = [];
  for (let chunk = 0; chunk <= reached; chunk += 1) {
    const from = chunk * CHUNK;
    rows.push(...(chunk === warm ? inline : besideRows(beside, chunk)));
    // Where the blocks of scopes end is looked at with all the rest of the task.
    const isOpen = scopes.length > 0 && chunk === reached;
    const due = isOpen ? rows.length : Math.min(from + CHUNK, end);
    if (rows.length !== due) throw new DocumentFault(`runs from ${from} are none of ${due - from}`);
  }
  return rows;
}

function besideRows(beside: ReadonlyMap<number, unknown>, chunk: number): readonly unknown[] {
  const what = `runs from ${chunk * CHUNK}`;
  const text = beside.get(PLACE.runs + chunk);
  if (typeof text !== 'string') throw new DocumentFault(`${what} are missing`);
  return readStoredJson(`[${text}]`, what) as readonly unknown[];
}

function outputOf(beside: ReadonlyMap<number, unknown>, step: number): JsonObject {
  const text = beside.get(step);
  if (text === undefined) throw new DocumentFault(`runs[${step}].normal.output is missing`);
  return readStoredJson(text, `runs[${step}].normal.output`) as JsonObject;
}
