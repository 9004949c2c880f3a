import { expect } from '@jest/globals';
import { replaced } from '../faults/index.js';
import { countByStatus } from '../ledger/index.js';
import { possibleInstance } from '../load/index.js';
import { describeOrdeal } from './ordeal-suite-spec.js';

describeOrdeal('rolling-restart', (ordeal) => {
  ordeal.trial.it('fails no task when each process is replaced in turn, twice', async () => {
    const { processes } = ordeal.target.stack;
    const blows = [...processes, ...processes].map((process) => replaced(process));
    const tasks = await ordeal.survive(blows, possibleInstance);
    expect(countByStatus(tasks)).toEqual({ succeeded: tasks.length });
  });
});
