import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ExpressionEvaluator, listedVariables } from '#expressions';
import {
  changesSomething,
  type ParsedFlow,
  parseFlowFile,
  readSteps,
  StepReadingEvaluator,
} from '#flow-files';
import { SystemClock } from '#machine';
import { rehearse } from '#rehearsal';
import { formatDuration, plainLine } from '#wording';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import {
  compare,
  complaints,
  MATRIX_COLUMNS,
  matrixRows,
  nameOf,
  type TestedFlow,
} from '../flow-test/matrix.js';
import { readScenarios, type TestFiles, WrongTestFile } from '../flow-test/read-scenarios.js';
import type { Session } from '../session.js';
import { tableLines } from '../terminal/table.js';
import { type Call, isFlowFile, restArgs, textOption } from '../tree/call.js';

/** `flow test`: every step of a flow fails in memory, in every way, and what is left is shown. */
export async function flowTest(session: Session, call: Call): Promise<ExitCode> {
  const files = restArgs(call).filter(isFlowFile);
  const only = textOption(call, 'flow');
  const found = await Promise.all(files.map((file) => readFlows(file, session.terminal.cwd)));
  const all = found.flat();
  const flows = all.filter(({ definition }) => definition.name === (only ?? definition.name));
  if (flows.length === 0) {
    throw new CliError(EXIT.usage, `there is no flow ${only} in ${files.join(', ')}`);
  }
  const tested = await testAll(flows, all, session);
  if (session.options.output === 'json') {
    session.printJson({ passed: tested.every(({ passed }) => passed), flows: tested });
  } else tested.forEach((one) => show(one, session));
  const failed = tested.filter(({ passed }) => !passed);
  session.say(summary(tested, failed));
  return failed.length === 0 ? EXIT.done : EXIT.endedOtherwise;
}

interface FoundFlow extends ParsedFlow {
  readonly testFiles: TestFiles;
}

async function readFlows(file: string, cwd: string): Promise<readonly FoundFlow[]> {
  const at = path.resolve(cwd, file);
  const text = await readFile(at, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(EXIT.usage, `${file} cannot be read: ${error.code}`);
  });
  const { flows, problems } = parseFlowFile(text);
  if (problems.length > 0) {
    const lines = problems.map(({ code, column, line, message }) => {
      return `${file}:${line}:${column} ${code} ${plainLine(message)}`;
    });
    throw new CliError(EXIT.usage, lines.join('\n'));
  }
  const beside = (name: string): string => path.join(path.dirname(at), `${name}.test.json`);
  const ofFile = beside(path.basename(at).replace(/\.jsonc?$/, ''));
  const inFile = flows.map(({ definition }) => definition.name);
  return flows.map((flow) => {
    return { ...flow, testFiles: { ofFile, ofFlow: beside(flow.definition.name), inFile } };
  });
}

/** Child tasks may be of all flows there are. */
async function testAll(
  flows: readonly FoundFlow[],
  all: readonly FoundFlow[],
  session: Session,
): Promise<TestedFlow[]> {
  const { env } = session.terminal;
  const listed = listedVariables((env['BACKSTEP_FLOW_ENV'] ?? '').split(','), env);
  const evaluator = new ExpressionEvaluator({ clock: new SystemClock(), env: listed });
  const known = new Map(all.map(({ definition }) => [definition.name, definition]));
  const reading = new StepReadingEvaluator(evaluator, async (...made) => readSteps(...made));
  const options = { evaluator: reading, flows: known, changes: changesSomething };
  const tested: TestedFlow[] = [];
  try {
    for (const { definition, testFiles } of flows) {
      for (const scenario of await readScenarios(definition, testFiles, [...known.values()])) {
        const rehearsal = await rehearse({ definition, scenario }, options);
        tested.push(compare(definition.name, scenario, rehearsal));
      }
    }
    return tested;
  } catch (error) {
    if (error instanceof WrongTestFile) throw new CliError(EXIT.usage, error.message);
    throw error;
  } finally {
    await evaluator.close();
  }
}

function show(tested: TestedFlow, session: Session): void {
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
      const ended = `${undisturbed.status} after ${formatDuration(tookMs)} of virtual time`;
      session.print(session.paint.bold(`${flow}, scenario ${scenario}: ${ended}`));
      const rows = matrixRows(cells);
      tableLines(rows, MATRIX_COLUMNS, session.width).forEach((line) => session.print(line));
      complaints(tested).forEach((line) => session.print(session.paint.red(plainLine(line))));
      session.print('');
    }
  }
}

function summary(tested: readonly TestedFlow[], failed: readonly TestedFlow[]): string {
  const count = tested.reduce((sum, { cells }) => sum + cells.length, 0);
  const wrong = failed.map(({ flow, scenario }) => `${flow} (${scenario})`).join(', ');
  const tried = `${count} failures tried in ${tested.length} scenarios`;
  return wrong === '' ? `${tried}, all as expected` : `${tried}, not as expected: ${wrong}`;
}
