import type { Problem } from '#flow-files';
import { abortable } from '#machine';
import { plainLine } from '#wording';
import {
  compare,
  type FoundFlow,
  readFlows,
  readScenarios,
  type TestedFlow,
  type UnreachedBranch,
  unreachedBranches,
  withRehearsals,
} from '#workshop/flow-test';
import { Reach } from '#workshop/rehearsal';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, flowFiles, textOption } from '../tree/call.js';
import { commandsHere } from './own-executors.js';
import { showTried, showUnreached, summaryOf } from './show-tried.js';
import { asUsage } from './unusable-file.js';

/** `flow test`: every step of a flow fails in memory, in every way, and what is left is shown. */
export async function flowTest(session: Session, call: Call): Promise<ExitCode> {
  session.limit();
  const files = flowFiles(call);
  const only = textOption(call, 'flow');
  const source = { cwd: session.terminal.cwd, commands: await commandsHere(session, call) };
  const reading = Promise.all(files.map((file) => readFlows(file, source)));
  const found = await reading.catch(asUsage);
  const all = found.flat();
  const flows = all.filter(({ definition }) => definition.name === (only ?? definition.name));
  if (flows.length === 0) {
    throw new CliError(EXIT.usage, `there is no flow ${only} in ${files.join(', ')}`);
  }
  const { tested, unreached } = await testAll(flows, all, session).catch(asUsage);
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
  return withRehearsals(definitions, session.terminal.env, async (tryFlow) => {
    const tested: TestedFlow[] = [];
    const unreached: UnreachedBranch[] = [];
    for (const { definition, testFiles } of flows) {
      const reach = new Reach();
      for (const scenario of await readScenarios(definition, testFiles, definitions)) {
        session.progress(`testing ${definition.name}, scenario ${scenario.name}`);
        const trying = tryFlow(definition, scenario, reach);
        const rehearsal = await abortable(trying, session.signal);
        tested.push(compare(definition.name, scenario, rehearsal));
      }
      unreached.push(...unreachedBranches(definition, reach));
    }
    return { tested, unreached };
  });
}
