import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BARRIER_TABLE, openSqlite, SqliteBarrier } from '#barrier';
import { SystemClock } from '#machine';
import { matchesText } from '../docs/compare-output.js';
import { DocDesk } from '../docs/doc-desk.js';
import { codeBlocks } from '../docs/markdown.js';
import { readPage } from '../docs/pages.js';
import { findGo, type GoPlace } from '../openapi/find-tools.js';
import { describeWith } from '../servers/describe-with.js';
import { present, startMariadb } from '../servers/index.js';
import { REPOSITORY } from '../stack/index.js';
import { Trial } from '../trial/index.js';

jest.setTimeout(300_000);

const CLIENT = path.join(REPOSITORY, 'clients/go');
const go = findGo();

/** Runs a tool of Go in a folder of the client; its output, also where it fails. */
async function say(place: GoPlace, cwd: string, command: readonly string[]): Promise<string> {
  const [program = '', ...args] = command;
  const env = { ...process.env, ...place.environment };
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env });
    return stdout;
  } catch (error) {
    const { message, stderr = '', stdout = '' } = error as Error & Record<string, string>;
    throw new Error(`${message}\n${stdout}\n${stderr}`, { cause: error });
  }
}

if (go === null) {
  it.skip('the worker library for Go (skipped: there is no Go)', () => undefined);
} else {
  describe('the worker library for Go', () => {
    it('is formatted, vetted, and passes its tests', async () => {
      expect(await say(go, CLIENT, ['gofmt', '-l', '.'])).toBe('');
      await say(go, CLIENT, ['go', 'vet', './...']);
      const race = (await say(go, CLIENT, ['go', 'env', 'CGO_ENABLED'])).trim() === '1';
      const said = await say(go, CLIENT, ['go', 'test', ...(race ? ['-race'] : []), './...']);
      expect(said).toMatch(/^ok\s+backstep\.example\/clients\/go\s/m);
    });

    it('needs nothing but the standard library', async () => {
      const said = await say(go, CLIENT, ['go', 'list', '-m', 'all']);
      expect(said.trim()).toBe('backstep.example/clients/go');
    });
  });

  describe('the page about it', () => {
    let desk: DocDesk;

    beforeAll(async () => {
      desk = await DocDesk.open(go.environment);
    });
    afterAll(() => desk?.close());

    it('leads from an empty folder to an undone step of a real worker', async () => {
      const blocks = codeBlocks(readPage('docs/write-a-worker-in-go.md').text);
      const commands = blocks.filter(({ directive }) => directive === 'no-run needs Go');
      const output = blocks.find(({ directive }) => directive === 'output')!.text;
      const said = [];
      for (const { text } of commands) said.push(await desk.run(text));
      expect(said.flatMap(({ failures }) => failures)).toEqual([]);
      const printed = said.at(-1)!.stdout;
      if (!matchesText(output, printed)) expect(printed).toBe(output);
    });
  });

  describeBarrier(go);
}

function describeBarrier(place: GoPlace): void {
  if (!place.hasDrivers) {
    it.skip('its barrier (skipped: .ci/install-tools has not been run)', () => undefined);
    return;
  }
  describeWith('its barrier', { servers: ['mariadb'] }, () => {
    const trial = new Trial('go-barrier');
    const clock = new SystemClock();
    const attempt = (run: string, fencingToken: number) => {
      return { taskId: 'shared', run, fencingToken };
    };
    const withBarrier = async <T>(work: (barrier: SqliteBarrier) => Promise<T>): Promise<T> => {
      const file = path.join(trial.folder, 'shared.db');
      const opened = await openSqlite({ clock, file, migrations: [BARRIER_TABLE] });
      try {
        return await work(new SqliteBarrier(opened, clock));
      } finally {
        await opened.close();
      }
    };

    beforeAll(() => trial.open());
    afterAll(() => trial.close());

    trial.it('keeps the rules in SQLite and MariaDB, and in a table of TypeScript', async () => {
      const server = trial.use(present(await startMariadb({ own: true })));
      const { host, password, username } = new URL(server.url);
      const source = `${username}:${password}@tcp(${host})/`;
      await withBarrier((barrier) => {
        return barrier.forward(attempt('theirs', 1), () => ({ account: 'ada', paid: 30 }));
      });

      const environment = {
        ...place.environment,
        BARRIER_MYSQL: source,
        BARRIER_SHARED: path.join(trial.folder, 'shared.db'),
      };
      const test = ['go', 'test', '-count=1', '-v', '.'];
      const said = await say({ ...place, environment }, path.join(CLIENT, 'barriertest'), test);
      expect(said).not.toMatch(/--- SKIP/);

      await withBarrier(async (barrier) => {
        const late = barrier.forward(attempt('theirs', 9), () => ({}));
        await expect(late).rejects.toMatchObject({ name: 'Superseded' });
        const effect = jest.fn(() => ({}));
        const output = await barrier.forward(attempt('ours', 4), effect);
        expect(output).toEqual({ account: '<eve>', paid: 7 });
        expect(effect).not.toHaveBeenCalled();
      });
    });
  });
}
