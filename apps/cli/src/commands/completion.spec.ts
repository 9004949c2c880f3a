import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, StubServer, taskReport } from '../stub-server-spec.js';

const EXECUTORS = {
  items: [{ module: 'mysql' }, { module: 'mysql' }],
  unserved: [{ module: 'gpu', flows: ['a'] }],
};

describe('words of a gateway', () => {
  let server: StubServer;
  beforeAll(async () => {
    server = await StubServer.start();
    const items = [{ name: 'vm' }, { name: 'a.b-c' }, { name: '$(x)' }];
    server.answer = ({ path: asked }, response) => {
      if (asked === '/v1/flows') return json(response, { items });
      if (asked === '/v1/executors') return json(response, EXECUTORS);
      json(response, { items: [taskReport('running')], page: { nextCursor: null } });
    };
  });
  afterAll(() => server.stop());

  it.each([
    ['flow', 'vm\na.b-c\n'],
    ['module', 'mysql\ngpu\n'],
    ['task', 'task-1\n'],
    ['other', ''],
  ])('are the names of each %s, one a line', async (what, stdout) => {
    const argv = ['completion-words', what, '--url', server.url];
    expect(await run(argv)).toEqual({ code: EXIT.done, stdout, stderr: '' });
  });

  it('are none where nobody answers, without a word', async () => {
    const gone = await StubServer.start();
    const { url } = gone;
    await gone.stop();
    const result = await run(['completion-words', 'flow', '--url', url]);
    expect(result).toEqual({ code: EXIT.done, stdout: '', stderr: '' });
  });
});

describe('the script for bash', () => {
  let folder: string;
  let script: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-completion-'));
    // Stands for a command line that reaches a gateway.
    writeFileSync(path.join(folder, 'backstep'), '#!/bin/sh\necho "$1-$2"\n', { mode: 0o755 });
    script = (await run(['completion', 'bash'])).stdout;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Returns the words that bash offers after these. */
  function offered(...words: string[]): readonly string[] {
    const line = words.map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(backstep ${line}); COMP_CWORD=${words.length}; _backstep`;
    const program = `${script}\n${ask}\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: `${folder}${path.delimiter}${process.env['PATH']}` };
    return execFileSync('bash', ['-c', program], { env, encoding: 'utf8' }).trim().split('\n');
  }

  it.each([
    [['task', 'start', ''], 'completion-words-flow'],
    [['flow', 'get', ''], 'completion-words-flow'],
    [['task', 'list', '--flow', ''], 'completion-words-flow'],
    [['task', 'get', ''], 'completion-words-task'],
    [['task', 'rollback', ''], 'completion-words-task'],
    [['limit', 'set', ''], 'completion-words-module'],
    [['task', 'list', '--status', 'roll'], 'rolling_back'],
    [['task', 'list', '--status', 'f'], 'failed'],
  ])('offers after %j what a gateway has, or what is always there', (words, expected) => {
    expect(offered(...words)).toContain(expected);
  });

  it('asks no gateway where nothing of it is wanted, and does not offer how it asks', () => {
    expect(offered('task', '')).toContain('rollback');
    expect(offered('task', 'list', '').join()).not.toContain('completion-words');
    expect(offered('').join()).not.toContain('completion-words');
  });
});
