import { CliError, EXIT, type ExitCode } from '../exit.js';
import { compare, type TestedFlow } from '../flow-test/matrix.js';
import { type FoundFlow, readFlows } from '../flow-test/read-flows.js';
import { readScenarios, WrongTestFile } from '../flow-test/read-scenarios.js';
import { showTried, summaryOf } from '../flow-test/show-tried.js';
import { withRehearsals } from '../flow-test/with-rehearsals.js';
import type { Session } from '../session.js';
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
  } else tested.forEach((one) => showTried(one, session, 'of virtual time'));
  session.say(summaryOf(tested));
  return tested.every(({ passed }) => passed) ? EXIT.done : EXIT.endedOtherwise;
}

/** Child tasks may be of all flows there are. */
async function testAll(
  flows: readonly FoundFlow[],
  all: readonly FoundFlow[],
  { terminal }: Session,
): Promise<TestedFlow[]> {
  const known = new Map(all.map(({ definition }) => [definition.name, definition]));
  const definitions = [...known.values()];
  try {
    return await withRehearsals(definitions, terminal.env, async (tryFlow) => {
      const tested: TestedFlow[] = [];
      for (const { definition, testFiles } of flows) {
        for (const scenario of await readScenarios(definition, testFiles, definitions)) {
          const rehearsal = await tryFlow(definition, scenario);
          tested.push(compare(definition.name, scenario, rehearsal));
        }
      }
      return tested;
    });
  } catch (error) {
    if (error instanceof WrongTestFile) throw new CliError(EXIT.usage, error.message);
    throw error;
  }
}
