import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { findTools, type OpenApiTools } from '../openapi/find-tools.js';
import { planStandalone, REPOSITORY } from '../stack/index.js';
import { Trial } from '../trial/index.js';

jest.setTimeout(240_000);

const run = promisify(execFile);
const tools = findTools();
const isCi = process.env['CI'] === 'true';
const WHY = '.ci/install-tools has not been run';

/** Words of a tool that is not content, whatever its exit code says. */
const COMPLAINT = /warning|error|unable to|unsupported|will not be generated/i;

function suite(name: string, body: (found: OpenApiTools) => void): void {
  if (tools !== null) describe(name, () => body(tools));
  else if (isCi) it(name, () => expect(WHY).toBe('installed'));
  else describe.skip(`${name} (skipped: ${WHY})`, () => it('is read', () => undefined));
}

suite('the OpenAPI document', (found) => {
  const trial = new Trial('openapi');
  let url: string;
  let key: string;
  let document: string;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const settings = { auth: 'keys', log: 'warn', badKeysPerMinute: 'none' } as const;
      const backstep = await planStandalone({ folder, settings });
      const store = `sqlite:${path.join(folder, 'data', 'backstep.db')}`;
      const program = path.join(REPOSITORY, 'bin', 'backstep.mjs');
      const argv = [program, 'key', 'create', 'tester', '--admin', '--store', store, '--quiet'];
      // Settings of whoever runs the tests are none of the program's.
      const { HOME = '/', PATH = '' } = process.env;
      const bare = { cwd: folder, env: { HOME, PATH } };
      key = (await run(process.execPath, argv, bare)).stdout.trim();
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
      url = `${backstep.url}/openapi.json`;
      const headers = { authorization: `Bearer ${key}` };
      const answer = await fetch(url, { headers });
      document = path.join(folder, 'openapi.json');
      await writeFile(document, await answer.text());
    }),
  );
  afterAll(() => trial.close());

  /** The output of one of the tools; throws where it fails. */
  const say = async (program: string, args: readonly string[]): Promise<string> => {
    const { HOME = '/', PATH = '' } = process.env;
    // Redocly looks for newer versions of itself, and for who uses it.
    const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const env = { HOME, PATH: `${found.pythonBin}:${PATH}`, NO_COLOR: '1', ...quiet };
    const options = { cwd: trial.folder, env, maxBuffer: 64 * 1024 * 1024 };
    const { stderr, stdout } = await run(program, [...args], options);
    return `${stdout}\n${stderr}`;
  };

  trial.it('is valid to a linter', async () => {
    // That the version of Node grows old is no fault of the document. To sign in is to be sent
    // elsewhere; a test of the document holds all other operations to good answers.
    const skipped = ['--skip-rule', 'operation-2xx-response'];
    const said = await say(found.redocly, ['lint', document, '--format=json', ...skipped]);
    const report = JSON.parse(/^\{[^]*^\}/m.exec(said)?.[0] ?? '{}') as { totals?: object };
    expect(report.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  });

  trial.it('makes types that TypeScript takes', async () => {
    const types = path.join(trial.folder, 'types.ts');
    expect(await say(found.openapiTypescript, [document, '-o', types])).not.toMatch(COMPLAINT);
    await say(found.tsc, ['--noEmit', '--strict', types]);
  });

  trial.it('makes a client in TypeScript', async () => {
    const client = path.join(trial.folder, 'client');
    expect(await say(found.openapiTs, ['-i', document, '-o', client])).not.toMatch(COMPLAINT);
    expect(await readdir(client)).toContain('sdk.gen.ts');
  });

  trial.it('makes a client in Python', async () => {
    const client = path.join(trial.folder, 'python');
    const args = ['generate', '--path', document, '--output-path', client];
    // Flows may also be sent in JSON with comments, of which this tool makes no second function.
    const known = /WARNING parsing .*\s+Unsupported content type application\/jsonc\s/g;
    const [said = ''] = (await say(found.openapiPythonClient, args)).split('If you believe');
    expect(said.replaceAll(known, '').replace(/^Warning\(s\) .*/m, '')).not.toMatch(COMPLAINT);
    expect(await readdir(client)).toContain('backstep_client');
  });

  trial.it('says what is answered, to somebody who tries its every corner', async () => {
    const config = path.join(REPOSITORY, 'test/openapi/schemathesis.toml');
    const said = await say(found.schemathesis, [
      ...['--config-file', config, 'run', url, '--header', `Authorization: Bearer ${key}`],
      // Whoever plays with keys takes back the one that is played with.
      ...['--exclude-tag', 'access', '--phases', 'coverage', '--no-color'],
      ...['--request-timeout', '20', '--seed', String(trial.seed)],
    ]).catch((error: { stdout?: string }) => error.stdout ?? 'it could not be started');
    expect(said).not.toMatch(/^Failures:|^Errors:/m);
    expect(said).toMatch(/^\s*✅ Coverage$/m);
    console.log(/^Test cases:\n.*/m.exec(said)?.[0]);
  });
});
