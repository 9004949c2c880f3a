/** A thread that plays its share of a job, case after case. */
import { parentPort, workerData } from 'node:worker_threads';
import { findMutant } from '../simulation/mutants/index.js';
import { findCase } from './cases.js';
import { sweepCase } from './sweep.js';
import type { Job } from './workers.js';

const { cases, mutant: name, ...rest } = workerData as Job;
let failures = 0;
const mutant = name === null ? null : findMutant(name);
for (const { every, name: wanted } of cases) {
  const summary = await sweepCase(findCase(wanted), { ...rest, mutant, every });
  parentPort?.postMessage(summary, []);
  failures += summary.failures.length;
  if (failures >= rest.failuresMax) break;
}
