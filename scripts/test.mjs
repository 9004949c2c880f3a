/**
 * `npm test [-- part...] [jest arguments]`: the checks and the jest projects. Every part runs,
 * whatever came before it, and the last line sums them up. They run one after the other; where
 * `BACKSTEP_TEST_LANES=on` and no part is named, in the lanes of the gate. `quick` is what a change
 * is tried with in between.
 */
import { ready } from './ready.mjs';
import { CHECKS, GATE, jestArgsOf, PROJECTS, QUICK } from './test-parts.mjs';
import { runPart } from './test-run.mjs';
import { summaryOf } from './test-summary.mjs';

const PARTS = [...Object.keys(CHECKS), ...Object.keys(PROJECTS)];

const args = process.argv.slice(2);
const isQuick = args.length === 1 && args[0] === 'quick';
const firstOther = args.findIndex((arg) => !PARTS.includes(arg));
const named = firstOther === -1 ? args : args.slice(0, firstOther);
const jestArgs = firstOther === -1 || isQuick ? [] : args.slice(firstOther);

const started = performance.now();
const done = [];
const sum = { passed: 0, failed: 0, skipped: 0 };

await ready().catch((error) => {
  console.error(error.message);
  finish({ passed: 0, failed: 1, skipped: 0 });
});
if (args.length === 0) await runGate();
else if (isQuick) await runParts(QUICK);
else await runParts(named.length > 0 ? named : PARTS);
console.log(summaryOf(done, secondsSince(started)).join('\n'));
finish(sum);

async function runGate() {
  const { alone, lanes } = GATE;
  if (process.env.BACKSTEP_TEST_LANES !== 'on') return runParts(PARTS);
  await Promise.all(
    lanes.map(({ isBackground, parts }) => runParts(parts, { isBackground, isQuiet: true })),
  );
  await runParts(alone);
}

async function runParts(labels, how = {}) {
  for (const label of labels) {
    const from = performance.now();
    const part = { name: label.split(' ')[0], jestArgs: [...jestArgsOf(label), ...jestArgs] };
    const counts = await runPart(part, how);
    const seconds = secondsSince(from);
    if (how.isQuiet) {
      process.stdout.write(`${counts.output}${label}: over after ${Math.round(seconds)} s\n`);
    }
    done.push({ label, seconds, specs: counts.specs, failed: counts.failed });
    for (const key of Object.keys(sum)) sum[key] += counts[key];
  }
}

function secondsSince(from) {
  return (performance.now() - from) / 1_000;
}

function finish({ passed, failed, skipped }) {
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(failed === 0 ? 0 : 1);
}
