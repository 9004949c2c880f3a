import { blowsToLines } from '../faults/index.js';
import { someInstance } from '../load/index.js';
import { describeOrdeal } from './ordeal-suite-spec.js';

describeOrdeal('line-faults', (ordeal) => {
  ordeal.trial.it('ends every task whatever happens to the lines to its servers', async () => {
    await ordeal.survive(blowsToLines(ordeal.target, ordeal.hold), someInstance);
  });
});
