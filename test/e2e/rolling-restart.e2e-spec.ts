import { expect } from '@jest/globals';
import { replaced } from '../faults/index.js';
import { countByStatus } from '../ledger/index.js';
import type { NextOrder } from '../load/index.js';
import { describeOrdeal } from './ordeal-suite-spec.js';

/** Nothing but instances that can be made: whatever fails, fails because of a blow. */
const possible: NextOrder = (random) => ({
  flow: 'create-db-instance',
  parameters: { cpu: random.between(1, 8), memory: random.between(1, 64), storage: 10 },
});

describeOrdeal('rolling-restart', (ordeal) => {
  ordeal.trial.it('fails no task when each process is replaced in turn, twice', async () => {
    const { processes } = ordeal.target.stack;
    const blows = [...processes, ...processes].map((process) => replaced(process));
    const tasks = await ordeal.survive(blows, possible);
    expect(countByStatus(tasks)).toEqual({ succeeded: tasks.length });
  });
});
