/** A process that plays histories for `Players`: a batch comes in, its summary goes out. */
import { findMutant } from './mutants/index.js';
import type { Batch } from './players.js';
import { simulate } from './simulate.js';

const STACK_LINES = Error.stackTraceLimit;

process.on('message', ({ from, hasWorkers = false, kinds, mutant, seeds }: Batch) => {
  const known = mutant === null ? null : findMutant(mutant);
  // The faults of many histories are thousands of errors, whose stacks take a tenth of the time.
  Error.stackTraceLimit = seeds === 1 ? STACK_LINES : 0;
  void simulate({ from, hasWorkers, kinds, seeds, mutant: known }).then((summary) =>
    process.send?.(summary),
  );
});
process.on('disconnect', () => process.exit());
