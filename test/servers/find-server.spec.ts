import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { judgeNeeds } from './describe-with.js';
import { findServer } from './find-server.js';
import { startMongo } from './mongo.js';
import { isMissing, present } from './server.js';

const URL = 'mongodb://127.0.0.1:1/';
/** Nothing can be found: a folder that is asked for rules a Docker engine out. */
const NOWHERE = { folder: 'never-made' };

describe('a server', () => {
  const before = { ...process.env };

  beforeEach(() => {
    process.env['PATH'] = '/nonexistent';
    process.env['BACKSTEP_SECANTUS'] = '/nonexistent/secantusd-rs';
    delete process.env['BACKSTEP_TEST_MONGODB_URL'];
  });

  afterEach(() => {
    // Another object in its place would leave the process's own variables as they are.
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  });

  it('is the one that the environment names', async () => {
    process.env['BACKSTEP_TEST_MONGODB_URL'] = URL;
    expect(findServer('mongo')).toEqual({ kind: 'url', url: URL });
    const server = present(await startMongo());
    expect(server).toMatchObject({ name: 'mongo', origin: 'url', url: URL });
    await server.stop();
  });

  it('is not harmed when the environment names it', async () => {
    process.env['BACKSTEP_TEST_MONGODB_URL'] = URL;
    const server = present(await startMongo());
    const deeds = ['kill', 'restart', 'wipe', 'pause', 'resume'] as const;
    for (const deed of deeds) {
      await expect(server[deed]()).rejects.toThrow(/mongo of BACKSTEP_TEST_MONGODB_URL/);
    }
  });

  it('that must be one of its own is not the one that the environment names', () => {
    process.env['BACKSTEP_TEST_MONGODB_URL'] = URL;
    const found = findServer('mongo', { ...NOWHERE, own: true });
    expect(found).toMatchObject({
      missing: 'mongo',
      why: expect.stringContaining('names one that others use'),
    });
  });

  it('that is nowhere is missing by name', async () => {
    const result = await startMongo(NOWHERE);
    expect(isMissing(result)).toBe(true);
    expect(() => present(result)).toThrow(/^mongo is missing: .*secantusd-rs cannot be found/);
  });

  it('that is missing skips a suite for a person and fails it in CI', () => {
    const needs = { servers: ['mongo'], ...NOWHERE } as const;
    delete process.env['CI'];
    expect(judgeNeeds(needs)).toEqual({ skip: expect.stringMatching(/^mongo is missing/) });
    process.env['CI'] = 'true';
    expect(judgeNeeds(needs)).toEqual({ fail: expect.stringMatching(/^mongo is missing/) });
    process.env['BACKSTEP_TEST_MONGODB_URL'] = URL;
    expect(judgeNeeds(needs)).toBe('run');
  });
});
