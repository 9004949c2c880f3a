/** `npm run bench`: everything that is measured, beside what it is measured against. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { helpOnRequest } from '../test/tools/help-on-request.js';
import type { Bench, Benchmark } from './benchmark.js';
import { benchmarksOf, compareBuilds, stepsText } from './builds.js';
import { BENCHMARKS } from './benchmarks/index.js';
import { type Options, readOptions, USAGE } from './options.js';
import { CACHE } from './places.js';
import { writeDocs } from './report/docs-block.js';
import { tableOf } from './report/table.js';
import { timesText } from './report/times.js';
import { type Result, resultsOf } from './results.js';
import { runBenchmark } from './run-benchmark.js';

const options = readOrLeave();
const others = await benchmarksOrLeave(options);
const base = await mkdtemp(path.join(os.tmpdir(), 'backstep-bench-'));
const results: Result[] = [];
const skipped: string[] = [];
const failed: string[] = [];
const start = performance.now();

try {
  say(`${os.cpus().length} cores, Node ${process.versions.node}, ${os.type()} ${os.release()}`);
  for (const benchmark of wanted(BENCHMARKS, options)) await run(benchmark);
} finally {
  await rm(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
for (const line of skipped) say(`skipped: ${line}`);
for (const line of failed) say(`FAILED: ${line}`);
if (options.json !== undefined) {
  await writeFile(options.json, `${JSON.stringify({ results, skipped }, null, 2)}\n`);
}
if (options.writeDocs && failed.length === 0) await writeDocs(results);
if (others !== null) process.exit(failed.length > 0 ? 1 : 0);
const missed = results.filter(({ reached }) => reached === false).length;
const minutes = ((performance.now() - start) / 60_000).toFixed(1);
say(`${results.length} results in ${minutes} minutes, ${missed} goals missed`);
process.exit(failed.length > 0 ? 1 : 0);

async function run(benchmark: Benchmark): Promise<void> {
  const { deployment, name } = benchmark;
  say(`\n${deployment}: ${name}`);
  const folder = path.join(base, `${deployment}-${name.replaceAll(/\W+/g, '-')}`);
  await mkdir(folder);
  const cache = options.quick ? path.join(base, 'cache') : CACHE;
  const bench: Bench = { sizes: options.sizes, folder, cache, say };
  try {
    if (others !== null) return say(stepsText(await compareBuilds(benchmark, others, bench)));
    const measured = await runBenchmark(benchmark, bench);
    const own = resultsOf(measured, bench);
    results.push(...own);
    say(tableOf(own));
    say(timesText(measured));
    for (const [rival, why] of Object.entries(measured.skipped)) {
      skipped.push(`${deployment} ${name}, ${rival}: ${why}`);
    }
  } catch (error) {
    failed.push(`${deployment} ${name}: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

function wanted(all: readonly Benchmark[], { deployment, only }: Options): readonly Benchmark[] {
  return all.filter((benchmark) => {
    if (deployment !== undefined && benchmark.deployment !== deployment) return false;
    const name = `${benchmark.deployment} ${benchmark.name}`;
    return only.length === 0 || only.some((part) => name.includes(part));
  });
}

async function benchmarksOrLeave({ before }: Options): Promise<readonly Benchmark[] | null> {
  if (before === undefined) return null;
  return benchmarksOf(before).catch((error: unknown) => {
    console.error(`${before} has no bench that was built: ${(error as Error).message}`);
    return process.exit(2);
  });
}

function readOrLeave(): Options {
  helpOnRequest(USAGE);
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    return process.exit(2);
  }
}

function say(text: string): void {
  if (text !== '') console.log(text);
}
