import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { AlertReceiver } from '../alerts/receiver.js';
import { untilTask } from '../ledger/index.js';
import { Api, effectsOf, PRACTICE_FLOWS } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { type Deployment, DEPLOYMENTS, INDEPENDENT, startDeployment } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

const SECRET = `whsec_${Buffer.from('a secret of this test, 32 bytes.').toString('base64')}`;

jest.setTimeout(240_000);

describe.each([...new Set([...DEPLOYMENTS, INDEPENDENT])])('$kind', ({ kind, servers }) => {
  describeWith(`the on-call of a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`alert-${kind}`);
    let backstep: Deployment;
    let receiver: AlertReceiver;
    let api: Api;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        receiver = trial.use(await AlertReceiver.open(SECRET));
        const settings = {
          flows: await writeFlows(folder, PRACTICE_FLOWS),
          alertWebhook: receiver.url,
          alertSecret: SECRET,
          ...WAITS.followSoon,
        };
        backstep = trial.use(await startDeployment(kind, { folder, settings }));
        api = new Api(backstep.url);
      }),
    );
    afterAll(() => trial.close());

    trial.it('is told, signed, about a rollback that failed, and can skip the step', async () => {
      receiver.answer = 200;
      const stuck = await api.run('lab-stuck');
      expect(stuck).toMatchObject({ taskStatus: 5, status: 'rollback_failed', timeEnd: null });
      const [alert] = await receiver.untilArrived(stuck.taskId, 1);
      expect(alert).toMatchObject({ genuine: true, body: { task: { step: 'stuck' } } });
      const reason = 'undone by hand';
      const { status } = await api.act(stuck.taskId, 'skip', { step: 'stuck', reason });
      expect(status).toBe(200);
      expect((await untilTask(api, stuck.taskId)).status).toBe('rolled_back');
      expect(await effectsOf(new Api(backstep.effectsUrl), stuck.taskId)).toMatchObject([
        { name: 'first', applied: 1, undone: 1 },
      ]);
    });

    trial.it('is told although whoever tells it is killed before the answer', async () => {
      receiver.answer = null;
      const { taskId } = await api.run('lab-stuck-once');
      await receiver.untilArrived(taskId, 1);
      const monitor = backstep.processOf('monitor');
      await monitor.kill();
      receiver.answer = 200;
      await monitor.start();
      const [first, second] = await receiver.untilArrived(taskId, 2);
      expect(second).toMatchObject({ genuine: true, answered: 200 });
      // So that a receiver can tell that it has it already.
      expect(second!.id).toBe(first!.id);
      await api.act(taskId, 'retry', { reason: 'mended' });
      expect((await untilTask(api, taskId)).status).toBe('rolled_back');
    });

    trial.it('is told when it listens again, and once more when a retry fails', async () => {
      receiver.answer = 500;
      const { taskId } = await api.run('lab-stuck');
      await receiver.untilArrived(taskId, 2);
      receiver.answer = 200;
      const refused = receiver.about(taskId).length;
      const arrivals = await receiver.untilArrived(taskId, refused + 1);
      expect(arrivals.every(({ genuine }) => genuine)).toBe(true);
      expect(new Set(arrivals.map(({ id }) => id)).size).toBe(1);
      await api.act(taskId, 'retry', { reason: 'hoping' });
      const later = await receiver.untilArrived(taskId, arrivals.length + 1);
      expect(later.at(-1)!.id).not.toBe(arrivals[0]!.id);
      await api.act(taskId, 'skip', { step: 'stuck', reason: 'enough' });
      expect((await untilTask(api, taskId)).status).toBe('rolled_back');
    });
  });
});
