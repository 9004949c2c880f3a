import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer } from '../stub-server-spec.js';

const STEPS = [{ normal: { module: 'm', command: 'c' } }];

let server: StubServer;
let cwd: string;
beforeEach(async () => {
  server = await StubServer.start();
  cwd = await mkdtemp(path.join(tmpdir(), 'backstep-put-'));
});
afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

function flow(...args: string[]): ReturnType<typeof run> {
  return run(['flow', ...args, '--url', server.url], { cwd });
}

describe('flow put', () => {
  beforeEach(async () => {
    const flows = JSON.stringify({ $schema: 'x', a: STEPS, b: { steps: STEPS } });
    const text = `// two\n${flows.replace('"b"', '\n// of b\n"b"')}`;
    await writeFile(path.join(cwd, 'flows.jsonc'), text);
    server.answer = ({ path: asked }, response) => {
      const stored = { name: asked.slice('/v1/flows/'.length), version: 2, revived: false };
      json(response, { ...stored, warnings: [{ code: 'NO_INPUT', message: 'No input.' }] });
    };
  });

  it('sends each flow of a file as it is written', async () => {
    const { code, stderr, stdout } = await flow('put', 'flows.jsonc', '-o', 'name');
    expect([code, stdout]).toEqual([EXIT.done, 'a\nb\n']);
    expect(stderr).toContain('a: No input. (NO_INPUT)');
    expect(server.seen.map(({ body, method, path: asked }) => [method, asked, body])).toEqual([
      ['PUT', '/v1/flows/a', `${JSON.stringify(STEPS)}\n`],
      ['PUT', '/v1/flows/b', `// of b\n${JSON.stringify({ steps: STEPS })}\n`],
    ]);
  });

  it.each([
    ['3', { 'if-match': '"3"' }],
    ['0', { 'if-none-match': '*' }],
  ])('sends the one that is named, at version %s', async (version, headers) => {
    const { code } = await flow('put', 'flows.jsonc', '--name', 'b', '--if-match', version);
    expect(code).toBe(EXIT.done);
    expect(server.seen).toMatchObject([{ path: '/v1/flows/b', headers }]);
  });

  it('ends as conflict where the flow has moved', async () => {
    server.answer = (_, response) => problem(response, { status: 412, code: 'REVISION_CHANGED' });
    const { code } = await flow('put', 'flows.jsonc', '--name', 'b', '--if-match', '3');
    expect(code).toBe(EXIT.conflict);
  });

  it.each([
    [['flows.jsonc', '--name', 'c'], 'has no flow c'],
    [['flows.jsonc', '--if-match', '3'], 'is about one flow'],
    [['nowhere.json'], 'cannot be read: ENOENT'],
    [['bad.json'], 'bad.json:2:4: '],
  ])('sends nothing where %j is wrong', async (args, words) => {
    await writeFile(path.join(cwd, 'bad.json'), '{"a":\n  [{}]}');
    const { code, stderr } = await flow('put', ...args);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(words);
    expect(server.seen).toEqual([]);
  });
});

describe('flow delete', () => {
  it('retires a flow', async () => {
    server.answer = (_request, response) => response.writeHead(204).end();
    const { code, stderr } = await flow('delete', 'a', '--if-match', '2');
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('a is retired');
    expect(server.seen).toMatchObject([{ method: 'DELETE', headers: { 'if-match': '"2"' } }]);
  });
});

describe('flow versions', () => {
  it('lists all of them, page after page', async () => {
    server.answer = ({ path: asked }, response) => {
      const isLast = asked.includes('cursor=2');
      const version = isLast ? 1 : 2;
      const items = [{ version, hash: 'f'.repeat(64), timeCreate: 0 }];
      json(response, { items, page: { nextCursor: isLast ? null : '2' } });
    };
    const { stdout } = await flow('versions', 'a', '-o', 'name');
    expect(stdout).toBe('2\n1\n');
  });
});

describe('flow diff', () => {
  it('prints what comes, goes and changes', async () => {
    const members = [{ pointer: '/steps/1/normal/retry', from: 0, to: 2 }];
    server.answer = (_request, response) =>
      json(response, {
        added: [{ step: 'g/new', pointer: '/steps/2' }],
        removed: [{ step: 'old', pointer: '/steps/0' }],
        changed: [{ step: 'b', pointer: '/steps/1', members }],
        members: [{ pointer: '/description', from: null, to: 'more' }],
      });
    const { code, stdout } = await flow('diff', 'a', '1', '2');
    expect(code).toBe(EXIT.done);
    expect(server.seen[0]?.path).toBe('/v1/flows/a/versions/1:diff?to=2');
    expect(stdout.split('\n')).toEqual([
      '~ description null -> "more"',
      '- old',
      '+ g/new',
      '~ b: normal/retry 0 -> 2',
      '',
    ]);
  });
});

describe('flow plan', () => {
  it.each([
    ['fails', 'It would fail by itself'],
    ['open', 'The plan ends here'],
  ])('sends the parameters, shows what was assumed, and that it %s', async (ends, words) => {
    const item = { step: 'a', id: 'a', kind: 'normal', module: 'm', command: 'c', back: ['a'] };
    const assumed = { step: 'a', member: 'if', template: '{% x %}', taken: true };
    server.answer = (_request, response) =>
      json(response, { items: [item], ends, assumptions: [assumed] });
    const { code, stderr, stdout } = await flow('plan', 'a', 'cpu=4');
    expect([code, server.seen[0]?.path]).toEqual([EXIT.done, '/v1/flows/a:plan']);
    expect(JSON.parse(server.seen[0]!.body)).toEqual({ parameters: { cpu: 4 } });
    expect(stdout).toContain('m.c');
    expect(stderr).toContain('a, if: "{% x %}" is not known yet, taken as true.');
    expect(stderr).toContain(words);
  });
});
