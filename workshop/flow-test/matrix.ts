import type { Cell, How, Trials } from '#workshop/rehearsal';
import type { ExpectedCell, TestedScenario } from './read-scenarios.js';

/** One cell, and how its author expects it to come out. */
export interface JudgedCell extends Cell<unknown> {
  readonly expected: Cell<unknown>['result'];
  readonly met: boolean;
}

/** A scenario of a flow, tried in every way. */
export interface TestedFlow {
  readonly flow: string;
  readonly scenario: string;
  /** Everything came out as expected. */
  readonly passed: boolean;
  readonly undisturbed: Trials<unknown>['undisturbed'] & { readonly expected: string };
  readonly tookMs: number;
  readonly cells: readonly JudgedCell[];
}

/** Compares what came of a flow with what is expected of it. */
export function compare(
  flow: string,
  scenario: TestedScenario,
  { cells, tookMs, undisturbed }: Trials<unknown>,
): TestedFlow {
  const judged = cells.map((cell): JudgedCell => {
    const expected = scenario.cells.find((one) => fits(one, cell))?.result ?? 'clean';
    return { ...cell, expected, met: cell.result === expected };
  });
  const { result, status } = undisturbed;
  const isClean = result === 'clean' || status !== 'succeeded';
  const passed = status === scenario.status && isClean && judged.every(({ met }) => met);
  return {
    flow,
    scenario: scenario.name,
    passed,
    undisturbed: { ...undisturbed, expected: scenario.status },
    tookMs,
    cells: judged,
  };
}

function fits(expected: ExpectedCell, cell: Cell<unknown>): boolean {
  const { direction, how, step, where } = expected;
  return (
    (step ?? cell.step) === cell.step &&
    (direction ?? cell.direction) === cell.direction &&
    (where ?? cell.where) === cell.where &&
    (how ?? cell.how) === cell.how
  );
}

/** The cells of one run at one moment. */
export interface MatrixRow {
  readonly first: JudgedCell;
  readonly cells: ReadonlyMap<How, JudgedCell>;
}

/** The rows of the matrix: a run and a moment each, in the order in which they were tried. */
export function matrixRows(cells: readonly JudgedCell[]): readonly MatrixRow[] {
  const rows = new Map<string, { first: JudgedCell; cells: Map<How, JudgedCell> }>();
  for (const cell of cells) {
    const key = `${cell.direction} ${cell.run} ${cell.where}`;
    const row = rows.get(key) ?? { first: cell, cells: new Map<How, JudgedCell>() };
    row.cells.set(cell.how, cell);
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** A run as the matrix names it. */
export function nameOf({ direction, run }: Pick<Cell<unknown>, 'direction' | 'run'>): string {
  return direction === 'rollback' ? `undo ${run}` : run;
}

/** A line for each thing that is not as expected, with all cells that it shows in. */
export function complaints({ cells, undisturbed }: TestedFlow): readonly string[] {
  const { expected, result, status, why } = undisturbed;
  const lines: string[] = [];
  if (status !== expected || (result !== 'clean' && status === 'succeeded')) {
    lines.push(
      `without a fault the status is ${status}, not ${expected}: ${why ?? 'no other reason'}`,
    );
  }
  const byReason = new Map<string, JudgedCell[]>();
  for (const cell of cells.filter(({ met }) => !met)) {
    const what = cell.result === cell.expected ? '' : ` (expected: ${cell.expected})`;
    const expectation = cell.expected === 'clean' ? '' : what;
    const reason = `${nameOf(cell)}: ${cell.result}${expectation}: ${cell.why ?? 'no residue'}`;
    byReason.set(reason, [...(byReason.get(reason) ?? []), cell]);
  }
  for (const [reason, alike] of byReason) {
    const where = alike.map((cell) => `${cell.how} ${cell.where}`).join(', ');
    lines.push(`${reason} [${where}]`);
  }
  return lines;
}
