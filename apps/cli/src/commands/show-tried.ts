import { formatDuration, plainLine } from '#wording';
import {
  complaints,
  type JudgedCell,
  type MatrixRow,
  matrixRows,
  nameOf,
  type TestedFlow,
  type UnreachedBranch,
} from '#workshop/flow-test';
import type { Session } from '../session.js';
import { type Column, tableLines } from '../terminal/table.js';

/** The matrix for people. */
const MATRIX_COLUMNS: readonly Column<MatrixRow>[] = [
  { title: 'STEP', value: ({ first }) => nameOf(first) },
  { title: 'WHERE', value: ({ first }) => first.where },
  { title: 'ERROR', value: (row) => wordOf(row.cells.get('error')) },
  { title: 'TIME-OUT', value: (row) => wordOf(row.cells.get('time-out')) },
  { title: 'CRASH', value: (row) => wordOf(row.cells.get('crash')) },
];

/** Writes how a scenario of a flow fared, in the format of the session. `json` is the caller's. */
export function showTried(tested: TestedFlow, session: Session, time: string): void {
  const { cells, flow, scenario, tookMs, undisturbed } = tested;
  switch (session.options.output) {
    case 'jsonl':
      session.printJson(tested);
      break;
    case 'name':
      cells
        .filter(({ met }) => !met)
        .forEach((cell) => {
          session.print(`${flow} ${nameOf(cell)} ${cell.where} ${cell.how}`);
        });
      break;
    default: {
      const ended = `${undisturbed.status} after ${formatDuration(tookMs)} ${time}`;
      session.print(session.paint.bold(`${flow}, scenario ${scenario}: ${ended}`));
      const rows = matrixRows(cells);
      tableLines(rows, MATRIX_COLUMNS, session.width).forEach((line) => session.print(line));
      complaints(tested).forEach((line) => session.print(session.paint.red(plainLine(line))));
      session.print('');
    }
  }
}

/** Writes the branches that no play took, each with a scenario to add to the test file. */
export function showUnreached(unreached: readonly UnreachedBranch[], session: Session): void {
  const { output } = session.options;
  if (output === 'jsonl') unreached.forEach((one) => session.printJson({ unreached: one }));
  if (output !== 'table') return;
  for (const flow of new Set(unreached.map((one) => one.flow))) {
    session.print(session.paint.bold(`${flow}: no scenario reaches`));
    for (const { branch, scenario, step } of unreached.filter((one) => one.flow === flow)) {
      session.print(`  ${plainLine(`${step}: ${branch}`)}`);
      session.print(`    ${plainLine(JSON.stringify(scenario))}`);
    }
    session.print('');
  }
}

/** How all of them fared, in one sentence. */
export function summaryOf(tested: readonly TestedFlow[]): string {
  const failed = tested.filter(({ passed }) => !passed);
  const count = tested.reduce((sum, { cells }) => sum + cells.length, 0);
  const wrong = failed.map(({ flow, scenario }) => `${flow} (${scenario})`).join(', ');
  const tried = `${count} failures tried in ${tested.length} scenarios`;
  return wrong === '' ? `${tried}, all as expected` : `${tried}, not as expected: ${wrong}`;
}

function wordOf(cell: JudgedCell | undefined): string {
  if (cell === undefined) return '-';
  if (!cell.met) return `${cell.result}!`;
  return cell.result;
}
