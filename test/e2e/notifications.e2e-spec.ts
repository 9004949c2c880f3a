import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { AlertReceiver } from '../alerts/receiver.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type Deployment, DEPLOYMENTS, startDeployment } from '../stack/index.js';
import { Trial } from '../trial/index.js';

const SECRET = `whsec_${Buffer.from('a secret of this test, 32 bytes.').toString('base64')}`;

jest.setTimeout(300_000);

interface Deliveries {
  readonly items: readonly { readonly deliveryId: string; readonly state: string }[];
}

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`people of a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`notifications-${kind}`);
    let backstep: Deployment;
    let receiver: AlertReceiver;
    let api: Api;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        receiver = trial.use(await AlertReceiver.open(SECRET));
        const settings = { httpAllow: '127.0.0.1' };
        backstep = trial.use(await startDeployment(kind, { folder: trial.folder, settings }));
        api = new Api(backstep.url);
        const channel = { type: 'webhook', url: receiver.url, secret: SECRET };
        const body = { on: ['failed'], channel };
        const path = '/v1/notifications/on-call';
        const { status } = await api.ask({ method: 'PUT', path, body });
        expect(status).toBe(201);
      }),
    );
    afterAll(() => trial.close());

    const untilDelivered = async (): Promise<void> => {
      const look = async (): Promise<void> => {
        const { items } = await api.get<Deliveries>('/v1/notifications/on-call/deliveries');
        expect(items.map(({ state }) => state)).not.toContain('pending');
      };
      await waitUntil(look, { what: 'a message is still pending', deadlineMs: 60_000 });
    };

    trial.it('are told, signed, of a task that failed', async () => {
      const { taskId } = await api.run('lab-fail-last');
      const [arrival] = await receiver.untilArrived(taskId, 1);
      expect(arrival?.genuine).toBe(true);
      await untilDelivered();
    });

    trial.it('are told under the same id, though the gateway dies while it tells', async () => {
      receiver.answer = null;
      const { taskId } = await api.run('lab-fail-last');
      await receiver.untilArrived(taskId, 1);
      const gateway = backstep.processOf('oss');
      await gateway.kill();
      receiver.answer = 200;
      await gateway.start();
      const [first, second] = await receiver.untilArrived(taskId, 2);
      expect([second?.id, second?.genuine]).toEqual([first?.id, true]);
      await untilDelivered();
      expect(receiver.about(taskId).filter(({ answered }) => answered === 200)).toHaveLength(1);
    });

    trial.it('are told of what failed while no gateway lived', async () => {
      const { body } = await api.ask({
        method: 'POST',
        path: '/v1/tasks',
        body: { flow: 'lab-fail-last' },
      });
      const { taskId } = body as { taskId: string };
      await backstep.processOf('oss').restart();
      await receiver.untilArrived(taskId, 1);
      await untilDelivered();
    });
  });
});
