/** `npm test [-- [on <major>] part...] [jest arguments]`: the checks and the jest projects. */
import { helpOnRequest } from '../tools/help-on-request.js';
import { REPOSITORY } from '../stack/repository.js';
import { ALL, CHECKS, gateOf, jestArgsOf, ONE_BY_ONE, PROJECTS, QUICK, type Run } from './parts.js';
import { type How, runPart } from './run-part.js';
import { RETRIED, specsToRetry, withRetried } from './second-try.js';
import { countsOf, type Part, summaryOf } from './summary.js';
import { turnOfProduct } from './turn.js';

const PARTS = [...Object.keys(CHECKS), ...Object.keys(PROJECTS)];

helpOnRequest(`usage: npm test [-- [on MAJOR] PART... [JEST ARGUMENTS]]
       npm test -- quick|gate|all

Every part runs, whatever came before it, and the last line sums them up.

quick      what a change is tried with in between
gate       what every change must pass, in lanes (if no part is named)
all        everything there is, on each Node
on MAJOR   on this Node, which .ci/install-tools has installed
PART       one after the other: ${PARTS.slice(0, 6).join(', ')},
           ${PARTS.slice(6).join(', ')}`);

const args = process.argv.slice(2);
const [, givenNode] = args[0] === 'on' ? args.splice(0, 2) : [];
const RUNS = new Map<string, () => Run | Promise<Run>>([
  ['all', () => ALL],
  ['gate', async () => gateOf(await turnOfProduct(REPOSITORY))],
  ['quick', () => QUICK],
]);
const [first = 'gate'] = args;
const wanted = args.length <= 1 ? RUNS.get(first) : undefined;
const firstOther = args.findIndex((arg) => !PARTS.includes(arg));
const named = firstOther === -1 ? args : args.slice(0, firstOther);
const jestArgs = firstOther === -1 || wanted ? [] : args.slice(firstOther);

const started = performance.now();
/** Parts that have run, with their results. */
let done: readonly Part[] = [];

if (wanted) await runLanes(await wanted());
else await runParts(named.length > 0 ? named : PARTS);
for (const project of RETRIED) await retry(project);
console.log(summaryOf(done, secondsSince(started)).join('\n'));
const { failed, passed, skipped } = countsOf(done);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);

/** A part that waits for its turn in a lane. */
interface Waiting {
  readonly label: string;
  readonly how: How;
}

/** A lane takes its own parts, then what is left to the lanes before it, and to the background. */
async function runLanes({ alone, background, lanes }: Run): Promise<void> {
  const queues = lanes.map((parts) => parts.map((label) => ({ label, how: {} as How })));
  const behind = background.map((label) => ({ label, how: { isBackground: true } }));
  const lane = async (own: readonly Waiting[][]): Promise<void> => {
    const next = (): Waiting | undefined => own.find((queue) => queue.length > 0)?.shift();
    for (let part = next(); part !== undefined; part = next()) {
      await runBesideOthers(part);
    }
  };
  await Promise.all([
    ...queues.map((_, index) => lane([...queues.slice(0, index + 1).toReversed(), behind])),
    lane([behind]),
  ]);
  await runParts(alone);
}

async function runBesideOthers({ how, label }: Waiting): Promise<void> {
  const { output, seconds } = await run(label, { ...how, isBesideOthers: true });
  process.stdout.write(`${output}${label}: over after ${Math.round(seconds)} s\n`);
}

async function runParts(labels: readonly string[]): Promise<void> {
  for (const label of labels) await run(label);
}

async function run(label: string, how: How = {}): Promise<{ output: string; seconds: number }> {
  const from = performance.now();
  const [share = '', where = givenNode] = label.split(' on ');
  const [name = ''] = share.split(' ');
  const part = { name, where, jestArgs: [...jestArgsOf(share), ...jestArgs] };
  const { output, ...result } = await runPart(part, how);
  const seconds = secondsSince(from);
  done = [...done, { label, seconds, ...result }];
  return { output, seconds };
}

/** Last of all, when nothing else wants the machine any more. */
async function retry(project: string): Promise<void> {
  const isOne = ({ label }: Part): boolean =>
    label.split(' ')[0] === project && !label.includes(' on ');
  const parts = done.filter(isOne);
  const paths = specsToRetry(
    project,
    parts.flatMap(({ specs }) => specs),
  );
  if (paths.length === 0) return;
  console.log(`${project}: ${paths.length} failed, and run once more: ${paths.join(' ')}`);
  const jestArgs = [ONE_BY_ONE, '--runTestsByPath', ...paths];
  const again = await runPart({ name: project, where: givenNode, jestArgs });
  done = done.map((part) =>
    isOne(part) ? { ...part, specs: withRetried(part.specs, again.specs) } : part,
  );
}

function secondsSince(from: number): number {
  return (performance.now() - from) / 1_000;
}
