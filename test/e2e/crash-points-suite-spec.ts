import path from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { AlertReceiver } from '../alerts/receiver.js';
import {
  CRASH_POINTS,
  CrashRounds,
  formatFigures,
  killsOfTurn,
  type PointFigures,
  SCENE_FLOWS,
} from '../crash/index.js';
import { FAILING_FLOW, PRACTICE_FLOWS } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import {
  type DeploymentPlan,
  REPOSITORY,
  STANDALONE,
  startDeployment,
  type WrittenSettings,
} from '../stack/index.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

const SECRET = `whsec_${Buffer.from('a secret of this test, 32 bytes.').toString('base64')}`;

/** With these settings 3 s are expected; a machine with other work to do may take longer. */
const RECOVERY_MAX_MS = 90_000;

/** One command at a time makes messages travel within the one process, too. */
const KINDS: Readonly<Record<string, { perSecond: number; settings: WrittenSettings }>> = {
  standalone: { perSecond: 20, settings: { concurrency: '1' } },
  distributed: { perSecond: 10, settings: {} },
};

/** Kills one deployment at every point; a spec for each, so that they run side by side. */
export function crashPoints(deployment: DeploymentPlan): void {
  const { kind, servers } = deployment;
  jest.setTimeout(480_000);
  const figures: PointFigures[] = [];
  afterAll(() => console.log(formatFigures(figures)));

  describeWith(`a ${kind} Backstep killed`, { servers, own: true }, () => {
    const trial = new Trial(`crash-points-${kind}`);
    let rounds: CrashRounds;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder, random, seed } = trial;
        const { perSecond, settings: own } = KINDS[kind]!;
        const receiver = trial.use(await AlertReceiver.open(SECRET));
        const flows = { ...FAILING_FLOW, ...PRACTICE_FLOWS, ...SCENE_FLOWS };
        const settings = {
          resourceHosts: await writeHosts(folder),
          flows: await writeFlows(folder, flows),
          alertWebhook: receiver.url,
          alertSecret: SECRET,
          ...WAITS.followSoon,
          ...own,
        };
        const entry = path.join(REPOSITORY, 'dist/test/crash/program.js');
        const backstep = trial.use(await startDeployment(kind, { folder, settings, entry }));
        rounds = new CrashRounds({ backstep, receiver, random, perSecond, name: `crash-${seed}` });
      }),
    );
    afterAll(() => trial.close());

    it.each(killsOfTurn(CRASH_POINTS, deployment === STANDALONE ? 0 : 1))(
      'at $id: $what',
      async (point) => {
        await trial.guard(async () => {
          const { lost, recoveryMs, stuck, wrong } = await rounds.play(point);
          figures.push({
            id: point.id,
            deployment: kind,
            kills: point.kills.length,
            lost: lost.length,
            stuck: stuck.length,
            wrong: wrong.length,
            recoveryMs,
          });
          expect({ lost, stuck, wrong }).toEqual({ lost: [], stuck: [], wrong: [] });
          expect(Math.max(...recoveryMs)).toBeLessThan(RECOVERY_MAX_MS);
        })();
      },
    );
  });
}
