import path from 'node:path';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { ApiTrial, describeTools } from '../openapi/api-trial.js';
import { REPOSITORY } from '../stack/index.js';

jest.setTimeout(600_000);

/** How long it goes on, in seconds. */
const BUDGET_S = 240;

describeTools('the OpenAPI document', (found) => {
  const trial = new ApiTrial('schemathesis', found);

  beforeAll(trial.guard(() => trial.open()));
  afterAll(() => trial.close());

  trial.it('says what is answered, to somebody who tries its every corner', async () => {
    const config = path.join(REPOSITORY, 'test/openapi/schemathesis.toml');
    const said = await trial
      .say(found.schemathesis, [
        ...['--config-file', config, 'run', `${trial.url}/openapi.json`],
        ...['--header', `Authorization: Bearer ${trial.key}`],
        // A play with keys revokes its own key.
        ...['--exclude-tag', 'access', '--phases', 'coverage,fuzzing', '--no-color'],
        ...['--max-time', String(BUDGET_S), '--request-timeout', '20'],
        ...['--seed', String(trial.seed)],
      ])
      .catch((error: { stdout?: string }) => error.stdout ?? 'it could not be started');
    console.log(`seed ${trial.seed}: ${/^Test cases:\n.*/m.exec(said)?.[0]}`);
    expect(said).not.toMatch(/^Failures:|^Errors:/m);
    expect(said).toMatch(/^\s*✅ Coverage$/m);
  });
});
