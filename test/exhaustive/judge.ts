/** A thread that looks for bugs: a question comes in, what was found goes out. */
import { parentPort } from 'node:worker_threads';
import { findMutant } from '../simulation/mutants/index.js';
import type { Question } from './judges.js';
import { judgeMutant } from './judge-mutant.js';

parentPort?.on('message', ({ faults, mutant }: Question) => {
  void judgeMutant(findMutant(mutant), faults).then((found) => parentPort?.postMessage(found, []));
});
