import { brokerBlows } from '../faults/index.js';
import { someInstance } from '../load/index.js';
import { describeOrdeal } from './ordeal-suite-spec.js';

describeOrdeal('broker-faults', (ordeal) => {
  const rule = 'ends every task when the broker is blocked, stopped, or loses a queue';
  ordeal.trial.it(rule, async () => {
    const { rabbitmq } = ordeal.target.stack.servers;
    await ordeal.survive(brokerBlows(rabbitmq, ordeal.hold), someInstance);
  });
});
