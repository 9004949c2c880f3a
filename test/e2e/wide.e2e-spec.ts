import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { describeWith } from '../servers/describe-with.js';
import { type Deployment, DEPLOYMENTS, startDeployment } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';
import { BusyPrograms, playWide, wideFlows, wideRounds, wideText } from '../wide/index.js';

/** Less than `soak --profile wide` has, so that it is over in seconds. */
const ONE = { steps: 500, busyPrograms: 4, settings: { lease: '2s' } } as const;
const SEVERAL = { steps: 100, busyPrograms: 2, settings: { lease: '5s' } } as const;
const WITHIN_MS = 120_000;

jest.setTimeout(300_000);

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`a ${kind} Backstep with very wide tasks`, { servers, own: true }, () => {
    const { busyPrograms, settings, steps } = kind === 'standalone' ? ONE : SEVERAL;
    const trial = new Trial(`wide-${kind}`);
    let backstep: Deployment;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        const flows = await writeFlows(folder, wideFlows(steps));
        const options = { folder, settings: { ...settings, flows } };
        backstep = trial.use(await startDeployment(kind, options));
        trial.use(BusyPrograms.start(busyPrograms));
      }),
    );
    afterAll(() => trial.close());

    trial.it('loses no lease while other programs want the processors', async () => {
      for (const round of wideRounds({ steps, withinMs: WITHIN_MS })) {
        const figures = await playWide(backstep, round);
        console.log(`${kind}: ${wideText(figures)}`);
        expect(figures.faults).toEqual([]);
        if (kind === 'standalone') expect(figures.notices).not.toHaveProperty('commit_conflict');
      }
    });
  });
});
