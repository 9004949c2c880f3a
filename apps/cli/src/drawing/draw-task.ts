import { plainLine } from '#wording';
import type { Paint } from '../session.js';
import { clipText, padText, textWidth } from '../terminal/table.js';
import type { RunView, ScopeView, StepView, TaskView } from './task-view.js';
import { NORMAL_SIGNS, ROLLBACK_SIGNS, type Sign, signOf, spanText, TASK_SIGNS } from './words.js';

/** With what a task is drawn. */
export interface Pens {
  readonly paint: Paint;
  readonly width: number;
  /** Milliseconds since 1970, for what is still running; undefined: no time is shown for that. */
  readonly now?: number | undefined;
}

/** One line of the drawing, before columns are measured. */
interface Row {
  readonly gutter: string;
  readonly sign: Sign;
  readonly indent: string;
  readonly cells: readonly [name: string, action: string, attempts: string, span: string];
  readonly message: string;
}

const NAME_MAX = 32;
const GAP = '  ';

/** A message that has less room than this says nothing. */
const MESSAGE_MIN = 16;

/** A step at its place in the drawing. */
interface PlacedStep {
  readonly step: StepView;
  /** Joins the steps that run side by side. */
  readonly bracket: ' ' | '┌' | '├' | '└';
  /** Names of the steps it waits for, where these are not simply all steps above it. */
  readonly after: readonly string[];
}

/** The task's head, a line per step, and beneath each its way back, once there is one. */
export function drawTask(view: TaskView, pens: Pens): string[] {
  const rows = listRows(view.steps, { gutter: '', now: pens.now });
  return [headOf(view, pens), '', ...alignRows(rows, pens)];
}

/** How the task ended, or stands. */
export function outcomeLine({ endedAt, message, startedAt, status }: TaskView, pens: Pens): string {
  const { icon, word, colour } = signOf(TASK_SIGNS, status);
  const end = endedAt ?? pens.now;
  const span = startedAt === null || end === undefined ? '' : ` in ${spanText(end - startedAt)}`;
  const why = message === null || status === 'succeeded' ? '' : `: ${plainLine(message)}`;
  return pens.paint[colour](`${icon} ${word}`) + span + why;
}

function headOf({ flow, status, taskId }: TaskView, { paint, width }: Pens): string {
  const { icon, word, colour } = signOf(TASK_SIGNS, status);
  const plain = [flow, `${icon} ${word}`, taskId].join(GAP);
  if (textWidth(plain) > width) return clipText(plain, width);
  return [paint.bold(flow), paint[colour](`${icon} ${word}`), paint.dim(taskId)].join(GAP);
}

/** Where rows stand. */
interface RowPlace {
  /** Left of them. */
  readonly gutter: string;
  readonly now: number | undefined;
}

function listRows(steps: readonly StepView[], place: RowPlace): Row[] {
  return layOut(steps).flatMap((placed) => rowsOf(placed, place));
}

/** The rows of a step, and further in those of the steps that it holds. */
function rowsOf(placed: PlacedStep, place: RowPlace): Row[] {
  const { bracket, step } = placed;
  const line = bracket === '┌' || bracket === '├' ? '│' : ' ';
  const inner = { gutter: `${place.gutter}${line}${GAP}`, now: place.now };
  const draw = step.scopes.length > 1 ? titledRows : heldRows;
  return [...ownRows(placed, line, place), ...step.scopes.flatMap((scope) => draw(scope, inner))];
}

function heldRows({ steps }: ScopeView, place: RowPlace): Row[] {
  return listRows(steps, place);
}

/** Of several lists, each says which it is: steps have the same names in every round. */
function titledRows(scope: ScopeView, place: RowPlace): Row[] {
  const title: Row = {
    gutter: `${place.gutter} `,
    sign: { icon: '◦', word: scope.title, colour: 'dim' },
    indent: '',
    cells: ['', '', '', ''],
    message: '',
  };
  return [title, ...listRows(scope.steps, { ...place, gutter: `${place.gutter}${GAP}` })];
}

function ownRows({ after, bracket, step }: PlacedStep, line: string, place: RowPlace): Row[] {
  const { name, normal, rollback } = step;
  const { gutter, now } = place;
  const waits = after.length === 0 ? '' : `after ${after.join(', ')}`;
  const forward: Row = {
    gutter: gutter + bracket,
    sign: signOf(NORMAL_SIGNS, normal.state),
    indent: '',
    cells: [clipText(plainLine(name), NAME_MAX), normal.action, ...numbersOf(normal, now)],
    message: plainLine(normal.message ?? waits),
  };
  if (rollback === null || rollback.state === 'none') return [forward];
  const back: Row = {
    gutter: gutter + line,
    sign: signOf(ROLLBACK_SIGNS, rollback.state),
    indent: GAP,
    cells: ['', rollback.action, ...numbersOf(rollback, now)],
    message: plainLine(rollback.message ?? ''),
  };
  return [forward, back];
}

/** Attempts where there was more than one, and how long it took or takes. */
function numbersOf(run: RunView, now: number | undefined): [string, string] {
  const attempts = run.attempts > 1 ? `×${run.attempts}` : '';
  const end = run.endedAt ?? (run.state === 'running' ? now : undefined);
  const span = run.startedAt === null || end === undefined ? '' : spanText(end - run.startedAt);
  return [attempts, span];
}

function alignRows(rows: readonly Row[], { paint, width }: Pens): string[] {
  const lead = Math.max(0, ...rows.map((row) => row.gutter.length + textWidth(signText(row))));
  const widths = [0, 1, 2, 3].map((index) => {
    return Math.max(0, ...rows.map(({ cells }) => textWidth(cells[index] ?? '')));
  });
  return rows.map((row) => {
    const [name, action, attempts, span] = row.cells.map((cell, index) => {
      return padText(cell, widths[index] ?? 0, index === 3 ? 'right' : 'left');
    });
    const signs = lead - row.gutter.length;
    const sign = padText(signText(row), signs);
    const numbers = [...(widths[2] === 0 ? [] : [attempts]), span];
    const fixed = [`${row.gutter} ${sign}`, name, action, ...numbers].join(GAP);
    const room = width - textWidth(fixed) - GAP.length;
    const message = room < MESSAGE_MIN ? '' : clipText(row.message, room);
    const line = clipText(`${fixed}${GAP}${message}`.trimEnd(), width);
    const start = row.gutter.length + 1;
    if (textWidth(line) < start + signs) return line;
    // Painted last: colours have no width, but they have length.
    return line.slice(0, start) + paint[row.sign.colour](sign) + line.slice(start + sign.length);
  });
}

function signText({ indent, sign }: Row): string {
  return `${indent}${sign.icon} ${sign.word}`;
}

/** The steps in the order in which they can run; those of one rank stand side by side. */
function layOut(steps: readonly StepView[]): readonly PlacedStep[] {
  const ranks = ranksOf(steps);
  const rows = Math.max(-1, ...ranks.values()) + 1;
  return Array.from({ length: rows }, (_, rank) => {
    const members = steps.filter(({ name }) => ranks.get(name) === rank);
    const above = steps.filter(({ name }) => ranks.get(name) === rank - 1);
    return members.map((step, index) => ({
      step,
      bracket: bracketOf(index, members.length),
      after: isPlain(step, above) ? [] : step.needs,
    }));
  }).flat();
}

function ranksOf(steps: readonly StepView[]): ReadonlyMap<string, number> {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const ranks = new Map<string, number>();
  const rankOf = (name: string): number => {
    const known = ranks.get(name);
    if (known !== undefined) return known;
    // Steps that need each other are no flow; whatever came here is drawn all the same.
    ranks.set(name, 0);
    const needs = byName.get(name)?.needs ?? [];
    const rank = Math.max(-1, ...needs.map(rankOf)) + 1;
    ranks.set(name, rank);
    return rank;
  };
  for (const { name } of steps) rankOf(name);
  return ranks;
}

function isPlain({ needs }: StepView, above: readonly StepView[]): boolean {
  return needs.length === above.length && above.every(({ name }) => needs.includes(name));
}

function bracketOf(index: number, count: number): PlacedStep['bracket'] {
  if (count === 1) return ' ';
  if (index === 0) return '┌';
  return index === count - 1 ? '└' : '├';
}
