import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Range, SUBJECTS } from '../hostile/index.js';
import { Trial } from '../trial/index.js';

/**
 * Rules about time are strict in `npm run hostile`. Here others work on the machine as well, so a
 * reader that takes the square of its input could pass. That none does is held by the specs named
 * `linear-time` beside the readers: `libs/flow-files` (input schemas, `uniqueItems` among them),
 * `libs/http-server/src`, `libs/access` and `apps/oss/src/requests`; of whole answers it is held by
 * `linear-time.e2e-spec.ts`.
 */
const PATIENCE = 30;

jest.setTimeout(480_000);

describe.each(SUBJECTS)('what a stranger does: $name', (subject) => {
  const trial = new Trial('hostile');
  let range: Range;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      range = trial.use(new Range({ folder: trial.folder, subject, patience: PATIENCE }));
    }),
  );
  afterAll(() => trial.close());

  for (const reproduction of subject.reproductions) {
    trial.it(reproduction.rule, async () => {
      const { fault } = await range.play(reproduction);
      expect(fault).toBeNull();
    });
  }
});

describe('every rule', () => {
  it('has a name of its own', () => {
    const rules = SUBJECTS.flatMap(({ reproductions }) => reproductions.map(({ rule }) => rule));
    expect(rules).toEqual([...new Set(rules)]);
  });
});
