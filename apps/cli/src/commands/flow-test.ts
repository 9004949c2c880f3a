import type { Problem } from '#flow-files';
import { Reach } from '#rehearsal';
import { plainLine } from '#wording';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import { compare, type TestedFlow } from '../flow-test/matrix.js';
import { type FoundFlow, readFlows } from '../flow-test/read-flows.js';
import { readScenarios, WrongTestFile } from '../flow-test/read-scenarios.js';
import { showTried, showUnreached, summaryOf } from '../flow-test/show-tried.js';
import { type UnreachedBranch, unreachedBranches } from '../flow-test/unreached.js';
import { withRehearsals } from '../flow-test/with-rehearsals.js';
import type { Session } from '../session.js';
import { type Call, isFlowFile, restArgs, textOption } from '../tree/call.js';
import { commandsHere } from './own-executors.js';

/** `flow test`: every step of a flow fails in memory, in every way, and what is left is shown. */
export async function flowTest(session: Session, call: Call): Promise<ExitCode> {
  const files = restArgs(call).filter(isFlowFile);
  const only = textOption(call, 'flow');
  const source = { cwd: session.terminal.cwd, commands: await commandsHere(session, call) };
  const found = await Promise.all(files.map((file) => readFlows(file, source)));
  const all = found.flat();
  const flows = all.filter(({ definition }) => definition.name === (only ?? definition.name));
  if (flows.length === 0) {
    throw new CliError(EXIT.usage, `there is no flow ${only} in ${files.join(', ')}`);
  }
  const { tested, unreached } = await testAll(flows, all, session);
  const warnings = all.flatMap(uncertainIn);
  if (session.options.output === 'json') {
    const passed = tested.every((one) => one.passed);
    session.printJson({ passed, flows: tested, unreached, warnings });
  } else {
    tested.forEach((one) => showTried(one, session, 'of virtual time'));
    showUnreached(unreached, session);
  }
  warnings.forEach(({ code, column, file, line, message }) => {
    session.say(`${file}:${line}:${column} ${code} ${plainLine(message)}`);
  });
  session.say(summaryOf(tested));
  return tested.every(({ passed }) => passed) ? EXIT.done : EXIT.endedOtherwise;
}

interface AllTested {
  readonly tested: readonly TestedFlow[];
  readonly unreached: readonly UnreachedBranch[];
}

/** Warnings of parameters that a command may lack: the doubles of a test take anything. */
function uncertainIn({ file, warnings }: FoundFlow): readonly (Problem & { file: string })[] {
  const found = warnings.filter(({ code }) => code === 'UNCERTAIN_PARAMETER');
  return found.map((warning) => ({ file, ...warning }));
}

/** Child tasks may be of all flows there are. */
async function testAll(
  flows: readonly FoundFlow[],
  all: readonly FoundFlow[],
  session: Session,
): Promise<AllTested> {
  const known = new Map(all.map(({ definition }) => [definition.name, definition]));
  const definitions = [...known.values()];
  try {
    return await withRehearsals(definitions, session.terminal.env, async (tryFlow) => {
      const tested: TestedFlow[] = [];
      const unreached: UnreachedBranch[] = [];
      for (const { definition, testFiles } of flows) {
        const reach = new Reach();
        for (const scenario of await readScenarios(definition, testFiles, definitions)) {
          session.progress(`testing ${definition.name}, scenario ${scenario.name}`);
          const rehearsal = await tryFlow(definition, scenario, reach);
          tested.push(compare(definition.name, scenario, rehearsal));
        }
        unreached.push(...unreachedBranches(definition, reach));
      }
      return { tested, unreached };
    });
  } catch (error) {
    if (error instanceof WrongTestFile) throw new CliError(EXIT.usage, error.message);
    throw error;
  }
}
