/**
 * `npm test [-- [on <major>] part...] [jest arguments]`: the checks and the jest projects, on the
 * Node that runs this or on another one that `.ci/install-tools` has installed. Every part runs,
 * whatever came before it, and the last line sums them up. Parts that are named run one after the
 * other; where none is, those of the gate run in lanes. `quick` is what a change is tried with in
 * between, and `all` is everything there is.
 */
import { fileURLToPath } from 'node:url';
import { ready } from './ready.mjs';
import { ALL, CHECKS, gateOf, jestArgsOf, ONE_BY_ONE, PROJECTS, QUICK } from './test-parts.mjs';
import { RETRIED, specsToRetry, withRetried } from './test-retry.mjs';
import { runPart } from './test-run.mjs';
import { countsOf, summaryOf } from './test-summary.mjs';
import { turnOfProduct } from './test-turn.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PARTS = [...Object.keys(CHECKS), ...Object.keys(PROJECTS)];

const args = process.argv.slice(2);
const [, givenNode] = args[0] === 'on' ? args.splice(0, 2) : [];
const RUNS = {
  all: () => ALL,
  gate: async () => gateOf(await turnOfProduct(ROOT)),
  quick: () => QUICK,
};
const [first = 'gate'] = args;
const isRun = args.length <= 1 && Object.hasOwn(RUNS, first);
const firstOther = args.findIndex((arg) => !PARTS.includes(arg));
const named = firstOther === -1 ? args : args.slice(0, firstOther);
const jestArgs = firstOther === -1 || isRun ? [] : args.slice(firstOther);

const started = performance.now();
/** Parts that have run, with what came of them. */
const done = [];

await ready().catch((error) => {
  console.error(error.message);
  finish([{ failed: 1, specs: [] }]);
});
if (isRun) await runLanes(await RUNS[first]());
else await runParts(named.length > 0 ? named : PARTS);
for (const project of RETRIED) await retry(project);
console.log(summaryOf(done, secondsSince(started)).join('\n'));
finish(done);

/** A lane takes its own parts, then what is left to the lanes before it, and to the background. */
async function runLanes({ alone, background, lanes }) {
  const queues = lanes.map((parts) => parts.map((label) => ({ label, how: {} })));
  const behind = background.map((label) => ({ label, how: { isBackground: true } }));
  const lane = async (own) => {
    const next = () => own.find((queue) => queue.length > 0)?.shift();
    for (let part = next(); part !== undefined; part = next()) {
      await runBesideOthers(part.label, part.how);
    }
  };
  await Promise.all([
    ...queues.map((_, index) => lane([...queues.slice(0, index + 1).toReversed(), behind])),
    lane([behind]),
  ]);
  await runParts(alone);
}

async function runBesideOthers(label, how) {
  const { output, seconds } = await run(label, { ...how, isBesideOthers: true });
  process.stdout.write(`${output}${label}: over after ${Math.round(seconds)} s\n`);
}

async function runParts(labels) {
  for (const label of labels) await run(label);
}

async function run(label, how = {}) {
  const from = performance.now();
  const [share, where = givenNode] = label.split(' on ');
  const name = share.split(' ')[0];
  const part = { name, where, jestArgs: [...jestArgsOf(share), ...jestArgs] };
  const { output, ...result } = await runPart(part, how);
  const seconds = secondsSince(from);
  done.push({ label, seconds, ...result });
  return { output, seconds };
}

/** Last of all, when nothing else wants the machine any more. */
async function retry(project) {
  const isOne = (label) => label.split(' ')[0] === project && !label.includes(' on ');
  const parts = done.filter(({ label }) => isOne(label));
  const paths = specsToRetry(
    project,
    parts.flatMap(({ specs }) => specs),
  );
  if (paths.length === 0) return;
  console.log(`${project}: ${paths.length} failed, and run once more: ${paths.join(' ')}`);
  const jestArgs = [ONE_BY_ONE, '--runTestsByPath', ...paths];
  const again = await runPart({ name: project, where: givenNode, jestArgs });
  for (const part of parts) part.specs = withRetried(part.specs, again.specs);
}

function secondsSince(from) {
  return (performance.now() - from) / 1_000;
}

function finish(parts) {
  const { failed, passed, skipped } = countsOf(parts);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(failed === 0 ? 0 : 1);
}
