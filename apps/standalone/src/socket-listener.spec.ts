import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findToken } from '#access';
import { type ProcessPlan, startProcess } from '#process';
import { loadSettings } from '#settings';
import { httpProcess } from '../../http/src/index.js';
import { labProcess } from '../../lab/src/index.js';
import { monitorProcess } from '../../monitor/src/index.js';
import { mysqlProcess } from '../../mysql/src/index.js';
import { ossProcess } from '../../oss/src/index.js';
import { resourceProcess } from '../../resource/src/index.js';
import { standaloneProcess } from './standalone.process.js';

const PLANS: readonly ProcessPlan[] = [
  httpProcess,
  labProcess,
  monitorProcess,
  mysqlProcess,
  ossProcess,
  resourceProcess,
  standaloneProcess,
];
const flows = fileURLToPath(new URL('../../../flow-configs/', import.meta.url));

describe('every process', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-listens-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it.each(PLANS)('$name listens on a socket, and asks for the token there', async (plan) => {
    const socketPath = path.join(folder, 'run/b.sock');
    const data = path.join(folder, 'data');
    const flags = { data, flows, http: `unix:${socketPath}`, auth: 'token', log: 'silent' };
    const settings = loadSettings({ mode: 'test', flags, cwd: folder });
    const running = await startProcess(plan, settings);
    const statusAt = async (where: string, bearer?: string): Promise<number | undefined> => {
      const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      const asked = request({ socketPath, path: where, headers, agent: false }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      await text(answer);
      return answer.statusCode;
    };
    try {
      expect(running.url).toBe(`unix:${socketPath}`);
      expect(await statusAt('/livez')).toBe(200);
      expect(await statusAt('/readyz')).toBe(200);
      expect(await statusAt('/metrics')).toBe(401);
      expect(await statusAt('/metrics', findToken(data)!)).toBe(200);
    } finally {
      await running.stop();
    }
    expect(await readdir(path.dirname(socketPath))).toEqual([]);
  });
});
