import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { validateFlowText } from '#flow-files';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer } from '../stub-server-spec.js';

const Resource = 'arn:aws:lambda:eu-west-1:111122223333:function:succeed';
const MACHINE = { StartAt: 'Only', States: { Only: { Type: 'Task', Resource, End: true } } };
const ROUND = {
  StartAt: 'A',
  States: { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', Next: 'A' } },
};
const WORKFLOW = {
  name: 'greet',
  tasks: [{ name: 'hello', taskReferenceName: 'hello', type: 'SIMPLE', retryCount: 0 }],
};

/** The flows that each sample is imported to. */
const EXPECTED = JSON.parse(
  readFileSync(
    new URL('../../../../test/fixtures/flow-import/expected-flows.json', import.meta.url),
    'utf8',
  ),
) as Record<string, Record<string, { flow: object }>>;

it.each(
  Object.entries(EXPECTED).flatMap(([from, samples]) => {
    return Object.entries(samples).map(([name, { flow }]) => [from, name, flow] as const);
  }),
)('what comes of the sample of %s %s is sound', (_from, _name, flow) => {
  expect(validateFlowText(JSON.stringify(flow)).problems).toEqual([]);
});

describe('flow import', () => {
  let cwd: string;

  beforeEach(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'backstep-cli-'));
    writeFileSync(path.join(cwd, 'only.asl.json'), JSON.stringify(MACHINE, null, 2));
    writeFileSync(path.join(cwd, 'round.json'), JSON.stringify(ROUND));
    writeFileSync(path.join(cwd, 'greet.json'), JSON.stringify(WORKFLOW));
  });

  afterEach(() => rmSync(cwd, { recursive: true }));

  it('writes a flow that is sound, and what is to be added', async () => {
    const argv = ['flow', 'import', '--from', 'asl', 'only.asl.json', '--module', 'lab'];
    const { code, stderr, stdout } = await run(argv, { cwd });
    expect(code).toBe(EXIT.done);
    expect(JSON.parse(stdout)).toMatchObject({
      only: { steps: [{ name: 'Only', normal: { module: 'lab', command: 'succeed' } }] },
    });
    expect(stderr).toMatch(/^only\.asl\.json:4:5 NO_ROLLBACK .*lab\.succeed/m);
    expect(stderr).toMatch(/^only imported, \d notes$/m);
    writeFileSync(path.join(cwd, 'flow.json'), stdout);
    expect((await run(['flow', 'validate', 'flow.json'], { cwd })).code).toBe(EXIT.done);
  });

  it('writes a file, and never over one that is there', async () => {
    const argv = ['flow', 'import', '--from', 'conductor', 'greet.json', '--out', 'flow.json'];
    expect(await run(argv, { cwd })).toMatchObject({ code: EXIT.done, stdout: '' });
    const text = readFileSync(path.join(cwd, 'flow.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ greet: { steps: [{ name: 'hello' }] } });
    const again = await run(argv, { cwd });
    expect(again.code).toBe(EXIT.usage);
    expect(again.stderr).toContain('flow.json is there already');
    rmSync(path.join(cwd, 'flow.json'));
    expect((await run(argv, { cwd })).stderr).toContain('flow.test.json is there already');
    expect(existsSync(path.join(cwd, 'flow.json'))).toBe(false);
  });

  describe('with --publish', () => {
    let server: StubServer;
    beforeEach(async () => {
      server = await StubServer.start();
    });
    afterEach(() => server.stop());
    const publish = (...args: string[]): ReturnType<typeof run> => {
      const argv = ['flow', 'import', '--from', 'conductor', 'greet.json', '--publish'];
      return run([...argv, '--url', server.url, ...args], { cwd });
    };

    it('stores what it made, and says which version that is', async () => {
      server.answer = (_, response) => {
        json(response, { name: 'greet', version: 3, revived: false, warnings: [] });
      };
      const { code, stderr, stdout } = await publish('-o', 'json');
      expect(code).toBe(EXIT.done);
      expect(stderr).toMatch(/^greet imported and published, 2 notes$/m);
      const { flow, stored } = JSON.parse(stdout) as { flow: { greet: object }; stored: object };
      expect(stored).toMatchObject([{ name: 'greet', version: 3 }]);
      expect(server.seen.map(({ body, method, path: asked }) => [method, asked, body])).toEqual([
        ['PUT', '/v1/flows/greet', `${JSON.stringify(flow.greet, null, 2)}\n`],
      ]);
    });

    it('ends as a conflict where a file of the gateway defines the name', async () => {
      server.answer = (_, response) => problem(response, { status: 409, code: 'FLOW_IN_FILE' });
      expect((await publish()).code).toBe(EXIT.conflict);
    });
  });

  it('prints flow and notes as JSON', async () => {
    const argv = ['flow', 'import', '--from', 'conductor', 'greet.json', '-o', 'json'];
    const { stdout } = await run(argv, { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      flow: { greet: { steps: [{ normal: { module: 'conductor', command: 'hello' } }] } },
      notes: [{ code: 'COMMAND_NEEDED', pointer: '/tasks/0/name' }, { code: 'NO_ROLLBACK' }],
    });
  });

  it('says in one sentence why nothing can be made of a file', async () => {
    writeFileSync(path.join(cwd, 'bad.json'), '{"StartAt": ');
    writeFileSync(path.join(cwd, 'twice.json'), '{"StartAt": "A", "StartAt": "B"}');
    const sentences = {
      'round.json': /^error: round\.json:1:\d+: State `B` leads back to `A`/,
      'bad.json': /^error: bad\.json:1:13: .*\(SYNTAX\)$/m,
      'twice.json': /^error: twice\.json:1:18: .*\(DUPLICATE_MEMBER\)$/m,
      'greet.json': /^error: greet\.json:1:1: `StartAt` does not name a state/,
      'none.json': /^error: none\.json cannot be read: ENOENT$/m,
    };
    for (const [file, sentence] of Object.entries(sentences)) {
      const result = await run(['flow', 'import', '--from', 'asl', file], { cwd });
      expect(result).toMatchObject({ code: EXIT.usage, stdout: '' });
      expect(result.stderr).toMatch(sentence);
    }
    const other = await run(['flow', 'import', '--from', 'bpmn', 'greet.json'], { cwd });
    expect(other.code).toBe(EXIT.usage);
  });
});
