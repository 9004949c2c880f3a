/** `npm run exhaustive`: every placement of one fault, and of two, in small tasks. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Mutant } from '../simulation/mutant.js';
import { MUTANTS } from '../simulation/mutants/index.js';
import { helpOnRequest } from '../tools/help-on-request.js';
import { turnOfCode } from '../trial/turn.js';
import { type Case, CASES } from './cases.js';
import { ALL, GATE } from './gate.js';
import { verdictText } from './judge-mutant.js';
import { Judges } from './judges.js';
import { placementsOf } from './placement.js';
import { playCase } from './play-case.js';
import { caseText, failureText, totalText, turnText } from './sweep-text.js';
import { playShares } from './workers.js';

const USAGE = `usage: npm run exhaustive -- [--gate [--turn N]] [--case NAME] [--faults N]
                             [--mutant NAME] [--play PLAN]

--gate         all single faults, and of the pairs what a gate has the time for; else all pairs
--turn N       which of the pairs: others with every number (as the code says, in npm test)
--case NAME    this case alone
--faults N     at most so many faults in a run (2)
--mutant NAME  with a bug put in: do one or two faults find it? "all" tries every one
--play PLAN    one run alone, with its trace: faults and where, as in 12:crash,30:ack-lost`;

const options = readArguments();
const faults = Number(options.faults);
if (!Number.isInteger(faults) || faults < 0 || faults > 2) fail('how many faults?');
const turn = Number(options.turn ?? turnOfCode());
if (!Number.isSafeInteger(turn) || turn < 0) fail('whose turn?');
if (options.play !== undefined) process.exitCode = await trace(options.play);
else if (options.mutant !== undefined) process.exitCode = await judge();
else process.exitCode = await sweep();

async function sweep(): Promise<number> {
  const started = performance.now();
  const plan = options.gate ? GATE : ALL;
  const cases = plan.filter(({ name }) => (options.case ?? name) === name);
  if (cases.length === 0) return fail(casesText());
  const job = { cases, turn, mutant: null, faults, failuresMax: 10 };
  const summaries = await playShares(job, availableParallelism(), (summary) =>
    console.log(caseText(summary)),
  );
  const failures = summaries.flatMap((summary) => summary.failures);
  for (const failure of failures) console.log(failureText(failure, null));
  if (options.gate) console.log(turnText(turn));
  console.log(totalText(summaries, (performance.now() - started) / 1_000));
  return failures.length === 0 ? 0 : 1;
}

async function judge(): Promise<number> {
  let missed = 0;
  const mutants = options.mutant === 'all' ? MUTANTS : [findMutant(options.mutant ?? '')];
  const names = mutants.map(({ name }) => name);
  const judges = new Judges(names, (name, found) => {
    console.log(verdictText(name, found));
    if (found === null) missed += 1;
  });
  await judges.judge(faults, Math.min(names.length, availableParallelism()));
  return missed === 0 ? 0 : 1;
}

async function trace(text: string): Promise<number> {
  const placements = placementsOf(text) ?? fail(`not a plan: ${text}`);
  const mutant = options.mutant === undefined ? null : findMutant(options.mutant);
  const run = { task: findCase(options.case ?? ''), placements };
  const { lines, operations, violations } = await playCase(run, { mutant, isTold: true });
  for (const line of lines) console.log(line);
  console.log(`${operations} operations, ${violations.length} violations`);
  return violations.length > 0 === (mutant !== null) ? 0 : 1;
}

function readArguments() {
  helpOnRequest(USAGE);
  try {
    return parseArgs({
      options: {
        gate: { type: 'boolean', default: false },
        turn: { type: 'string' },
        case: { type: 'string' },
        faults: { type: 'string', default: '2' },
        mutant: { type: 'string' },
        play: { type: 'string' },
      },
    }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

function findCase(name: string): Case {
  return CASES.find((each) => each.name === name) ?? fail(casesText());
}

function findMutant(name: string): Mutant {
  const list = MUTANTS.map((mutant) => `  ${mutant.name}: ${mutant.bug}`).join('\n');
  return MUTANTS.find((mutant) => mutant.name === name) ?? fail(`the mutants are:\n${list}`);
}

function casesText(): string {
  return `the cases are:\n${CASES.map(({ name }) => `  ${name}`).join('\n')}`;
}

function fail(message: string): never {
  console.error(`${message}\n\n${USAGE}`);
  process.exit(2);
}
