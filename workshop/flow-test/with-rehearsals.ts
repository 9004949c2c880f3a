import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FlowDefinition } from '#core';
import { LabelsFailed } from '#core/values';
import { ExpressionEvaluator, listedVariables } from '#expressions';
import {
  changesSomething,
  type KnownCommands,
  type ParsedFlow,
  parseFlowFile,
  readSteps,
  StepReadingEvaluator,
} from '#flow-files';
import { fileText } from '#json';
import { SystemClock } from '#machine';
import { plainLine } from '#wording';
import { type Reach, rehearse, type Rehearsal } from '#workshop/rehearsal';
import { type TestedScenario, type TestFiles, UnusableFile } from './read-scenarios.js';

/** Environment variables; flows read those that `BACKSTEP_FLOW_ENV` lists. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Tries one scenario of a flow in every way. */
export type Rehearse = (
  definition: FlowDefinition,
  scenario: TestedScenario,
  /** Notes how far the plays come; absent: nobody does. */
  reach?: Reach,
) => Promise<Rehearsal>;

/** A flow of a file, and where its scenarios may be. */
export interface FoundFlow extends ParsedFlow {
  readonly testFiles: TestFiles;
  /** The file, as it was named. */
  readonly file: string;
}

/** Where a flow file is looked for, and the commands that are known. */
interface FlowSource {
  readonly cwd: string;
  /** Absent: commands and their parameters are not looked at. */
  readonly commands?: KnownCommands;
}

/**
 * Does some work with flows that are tried in memory, and ends the processes of their expressions
 * after it. `all`: the flows that child tasks may be of.
 */
export async function withRehearsals<T>(
  all: readonly FlowDefinition[],
  env: Environment,
  work: (tryFlow: Rehearse) => Promise<T>,
): Promise<T> {
  const listed = listedVariables((env['BACKSTEP_FLOW_ENV'] ?? '').split(','), env);
  const evaluator = new ExpressionEvaluator({ clock: new SystemClock(), env: listed });
  const flows = new Map(all.map((definition) => [definition.name, definition]));
  const reading = new StepReadingEvaluator(evaluator, async (...[steps, known]) =>
    readSteps(steps, known),
  );
  // Signals and time limits are heard between two plays.
  const between = (): Promise<void> => nextTurn();
  const options = { evaluator: reading, flows, changes: changesSomething, between };
  try {
    return await work((definition, scenario, reach) => {
      const noted = reach === undefined ? options : { ...options, reach };
      return rehearse({ definition, scenario }, noted).catch((error: unknown) => {
        if (!(error instanceof LabelsFailed)) throw error;
        throw new UnusableFile(`${definition.name}, scenario ${scenario.name}: ${error.message}`);
      });
    });
  } finally {
    await evaluator.close();
  }
}

/** The flows of a file. Throws `UnusableFile` with a line for each mistake. */
export async function readFlows(
  file: string,
  { commands, cwd }: FlowSource,
): Promise<readonly FoundFlow[]> {
  const at = path.resolve(cwd, file);
  const reading = readFile(at).then(fileText);
  const text = await reading.catch((error: NodeJS.ErrnoException) => {
    throw new UnusableFile(`${file} cannot be read: ${error.code}`);
  });
  const { flows, problems } = parseFlowFile(text, { commands });
  if (problems.length > 0) {
    const lines = problems.map(({ code, column, line, message }) => {
      return `${file}:${line}:${column} ${code} ${plainLine(message)}`;
    });
    throw new UnusableFile(lines.join('\n'));
  }
  const beside = (name: string): string => path.join(path.dirname(at), `${name}.test.json`);
  const ofFile = beside(path.basename(at).replace(/\.jsonc?$/, ''));
  const inFile = flows.map(({ definition }) => definition.name);
  return flows.map((flow) => {
    return { ...flow, file, testFiles: { ofFile, ofFlow: beside(flow.definition.name), inFile } };
  });
}
