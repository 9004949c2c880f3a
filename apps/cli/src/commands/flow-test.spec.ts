import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** A step with commands of module `m`. */
function step(name: string, more: object = {}): object {
  const undo = { module: 'm', command: `remove_${name}`, retry: 2 };
  return { name, normal: { module: 'm', command: `create_${name}` }, rollback: undo, ...more };
}

describe('flow test', () => {
  let cwd: string;

  beforeEach(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'backstep-flow-test-'));
  });

  afterEach(() => rmSync(cwd, { recursive: true }));
  function write(steps: readonly object[], test?: object): void {
    const flow = { input: { additionalProperties: true }, steps };
    writeFileSync(path.join(cwd, 'f.json'), JSON.stringify({ f: flow }));
    if (test !== undefined) writeFileSync(path.join(cwd, 'f.test.json'), JSON.stringify(test));
  }

  const test = (...more: string[]) => run(['flow', 'test', 'f.json', ...more], { cwd });

  async function cells(): Promise<{ code: number; bad: string[] }> {
    const { code, stdout } = await test('-o', 'json');
    const { flows } = JSON.parse(stdout) as { flows: { cells: Found[] }[] };
    const bad = flows[0]!.cells.filter(({ result }) => result !== 'clean');
    return {
      code,
      bad: bad.map(({ direction, how, result, run: id, where }) => {
        return `${direction} ${id} ${where} ${how}: ${result}`;
      }),
    };
  }

  it('is content with a flow that can be undone wherever it fails', async () => {
    write([step('a'), step('b')]);
    const { code, stderr, stdout } = await test();
    expect(stdout).toMatch(/^STEP +WHERE +ERROR +TIME-OUT +CRASH$/m);
    expect(stdout).toMatch(/^a +during +clean +clean +clean$/m);
    expect(stdout).toMatch(/^undo b +after +clean +- +clean$/m);
    expect(stderr).toBe('30 failures tried in 1 scenarios, all as expected\n');
    expect(code).toBe(EXIT.done);
  });

  it('finds a step that changes something and has no rollback', async () => {
    write([step('a', { rollback: null }), step('b')]);
    const { code, bad } = await cells();
    expect(code).toBe(EXIT.endedOtherwise);
    expect(bad).toContain('normal a after error: residue');
    expect(bad).toContain('normal b before crash: residue');
    expect(bad).not.toContain('normal a before error: residue');
  });

  it('plays a task, and its child tasks, with the labels of their flows', async () => {
    const isLost = '{% $not($exists($task.labels.fleet)) or $task.labels.kind != "a" %}';
    const steps = [{ if: isLost, fail: { code: 'LOST', message: 'no label' } }, step('a')];
    const input = { required: ['fleet'], properties: { fleet: { type: 'string' } } };
    const child = { input, labels: { fleet: '{% fleet %}', kind: 'child' }, steps };
    const call = { flow: { name: 'child', parameters: { fleet: 'blue' } } };
    const f = { ...child, labels: { kind: 'a', fleet: '{% fleet %}' }, steps: [...steps, call] };
    writeFileSync(path.join(cwd, 'f.json'), JSON.stringify({ f, child }));
    const { stderr, stdout } = await test('--flow', 'f', '-o', 'json');
    expect(stderr).toMatch(/ all as expected\n$/);
    expect(stdout).toContain('"run": "flow#1/a"');
    const wrong = { ...f, labels: { fleet: '{% $lookup({}, "x") %}' } };
    writeFileSync(path.join(cwd, 'f.json'), JSON.stringify({ f: wrong }));
    const refused = await test();
    expect(refused.code).toBe(EXIT.usage);
    expect(refused.stderr).toMatch(/f, scenario 1: the label fleet: /);
  });

  it('finds a rollback that is tried only once', async () => {
    write([step('a', { rollback: { module: 'm', command: 'remove_a' } }), step('b')]);
    const { code, bad } = await cells();
    expect(code).toBe(EXIT.endedOtherwise);
    expect(bad).toEqual([
      'rollback a before error: stuck',
      'rollback a during error: stuck',
      'rollback a after error: stuck',
    ]);
  });

  it('finds a rollback that needs the output of a later step', async () => {
    const parameters = { id: '{% id %}' };
    const rollback = { module: 'm', command: 'remove_a', retry: 3, parameters };
    write([step('a', { rollback }), step('b')], { answers: { b: { output: { id: 7 } } } });
    const { code, stdout } = await test();
    expect(stdout).toMatch(/needs the output of b, which is (pending|succeeded)/);
    expect(code).toBe(EXIT.endedOtherwise);
  });

  it('finds a failed rollback behind a catch', async () => {
    const rollback = { module: 'm', command: 'remove_a' };
    const group = [step('a', { rollback }), step('b')];
    const caught = { name: 'g', group, catch: [{ errors: ['*'], steps: [step('c')] }] };
    write([caught, step('d')]);
    const { bad } = await cells();
    expect(bad).toContain('rollback g#1/a before error: stuck');
    expect(bad.filter((cell) => !cell.includes('g#1/a'))).toEqual([]);
  });

  it('tries what only a failure has begin', async () => {
    const caught = [{ errors: ['*'], steps: [step('c', { rollback: null })] }];
    write([step('a', { catch: caught }), step('d')]);
    const { bad } = await cells();
    expect(bad).toContain('normal a#catch/c after crash: residue');
  });

  it('calls a flow held that waits for a person as it is meant to', async () => {
    const flow = { input: {}, onFailure: 'hold', steps: [step('a')] };
    writeFileSync(path.join(cwd, 'f.json'), JSON.stringify({ f: flow }));
    const { stdout } = await test();
    expect(stdout).toMatch(/^a +before +held! +held! +held!$/m);
    const expected = { expect: { cells: [{ result: 'held' }] } };
    writeFileSync(path.join(cwd, 'f.test.json'), JSON.stringify(expected));
    const { stdout: after } = await test();
    expect(after).toMatch(/^a +before +held +held +held$/m);
  });

  it('lets a year of waits take no time', async () => {
    const waits = Array.from({ length: 12 }, (_, n) => ({ name: `w${n}`, wait: { for: '730h' } }));
    write([step('a'), ...waits, { name: 'paid', wait: { signal: 'paid', timeout: '24h' } }], {
      signals: [{ name: 'paid', after: '8761h', payload: { by: 'card' } }],
    });
    const { code, stderr } = await test();
    expect(stderr).toContain('too long');
    expect(code).toBe(EXIT.usage);
    writeFileSync(path.join(cwd, 'f.test.json'), '{}');
    const { code: after, stdout } = await test();
    expect(stdout).toMatch(/succeeded after 3153\d+ms of virtual time/);
    expect(after).toBe(EXIT.done);
  });

  it('plays what the test file says, in each of its scenarios', async () => {
    const ask = { name: 'ask', approve: { title: 'Sure?' } };
    const size = {
      name: 'size',
      choice: [{ name: 'big', when: '{% n > 3 %}', steps: [step('x')] }],
    };
    const flaky = { name: 'a', normal: { module: 'm', command: 'create_a', retry: 2 } };
    write([{ ...flaky, rollback: null }, ask, size], {
      scenarios: [
        {
          name: 'yes',
          parameters: { n: 5 },
          answers: {
            'm.create_a': [
              { error: 'BUSY', retryable: true, effect: false },
              { takes: '4m', effect: false },
            ],
          },
          approvals: [{ step: 'ask', after: '2h' }],
        },
        {
          name: 'no',
          answers: { a: { effect: false } },
          approvals: [{ step: 'ask', approve: false }],
          expect: { status: 'rolled_back' },
        },
      ],
    });
    const { code, stdout } = await test();
    expect(stdout).toMatch(/^f, scenario yes: succeeded after 7200\d+ms/m);
    expect(stdout).toMatch(/^size#big\/x +before/m);
    expect(stdout).toMatch(/^f, scenario no: rolled_back/m);
    expect(code).toBe(EXIT.done);
  });

  it('takes the test file of a flow file for the only flow in it, whatever its name', async () => {
    write([step('a')]);
    renameSync(path.join(cwd, 'f.json'), path.join(cwd, 'file.json'));
    writeFileSync(path.join(cwd, 'file.test.json'), '{"answers": {"a": {"takes": "4m"}}}');
    const { code, stdout } = await run(['flow', 'test', 'file.json'], { cwd });
    expect(stdout).toMatch(/^f, scenario 1: succeeded after 4m of virtual time$/m);
    expect(code).toBe(EXIT.done);
  });

  it('refuses a test file that does not say which of several flows it means', async () => {
    const flows = { f: [step('a')], g: [step('a')] };
    writeFileSync(path.join(cwd, 'file.json'), JSON.stringify(flows));
    writeFileSync(path.join(cwd, 'file.test.json'), '{"answers": {"a": {"takes": "4m"}}}');
    const { code, stderr } = await run(['flow', 'test', 'file.json'], { cwd });
    expect(stderr).toMatch(
      /file\.test\.json: answers may be of any of f, g: say of which under "flows"/,
    );
    expect(code).toBe(EXIT.usage);
  });

  it('takes scenarios under `flows` where a file of several flows has the name of one', async () => {
    const flows = { f: [step('a')], g: [step('a')] };
    writeFileSync(path.join(cwd, 'f.json'), JSON.stringify(flows));
    const scenarios = {
      f: { answers: { a: { takes: '4m' } } },
      g: { answers: { a: { takes: '5m' } } },
    };
    writeFileSync(path.join(cwd, 'f.test.json'), JSON.stringify({ flows: scenarios }));
    const { code, stdout } = await run(['flow', 'test', 'f.json'], { cwd });
    expect(stdout).toMatch(/^f, scenario 1: succeeded after 4m of virtual time$/m);
    expect(stdout).toMatch(/^g, scenario 1: succeeded after 5m of virtual time$/m);
    expect(code).toBe(EXIT.done);
  });

  it.each(['f', 'file'])('refuses scenarios of a flow that %s.json does not have', async (name) => {
    writeFileSync(path.join(cwd, `${name}.json`), JSON.stringify({ f: [step('a')] }));
    writeFileSync(path.join(cwd, `${name}.test.json`), '{"flows": {"h": {}}}');
    const { code, stderr } = await run(['flow', 'test', `${name}.json`], { cwd });
    expect(stderr).toContain(`${name}.test.json: h under "flows" is no flow of its file: f`);
    expect(code).toBe(EXIT.usage);
  });

  it('plays child tasks, each with its own rollbacks', async () => {
    const each = { in: [1, 2, 3], as: 'item', concurrency: 2, steps: [step('make')] };
    write([step('a'), { name: 'each', foreach: each }, step('b')]);
    const { code, stdout, stderr } = await test();
    expect(stdout).toMatch(/^each#1\/make +during +clean +clean +clean$/m);
    expect(stdout).toMatch(/^undo each#3\/make +after +clean +- +clean$/m);
    expect(stdout).not.toContain('each#2/');
    expect(stderr).toBe('60 failures tried in 1 scenarios, all as expected\n');
    expect(code).toBe(EXIT.done);
  });

  it('finds what child tasks leave behind, and rollbacks of theirs that fail', async () => {
    const kept = step('keep', { rollback: null });
    const once = step('once', { rollback: { module: 'm', command: 'remove_once' } });
    const each = { in: [1, 2], as: 'item', successPercent: 50, steps: [kept, once] };
    write([{ name: 'each', foreach: each }, step('b')]);
    const { bad } = await cells();
    expect(bad).toContain('normal each#2/once before error: residue');
    expect(bad).toContain('rollback each#1/once during error: stuck');
    expect(bad).toContain('normal b before error: residue');
    expect(bad).not.toContain('normal each#1/keep before crash: residue');
  });

  it('plays the flows of child tasks that the files have', async () => {
    const flows = {
      f: { input: {}, steps: [{ name: 'call', flow: { name: 'g', parameters: { n: 1 } } }] },
      g: {
        input: {},
        steps: [step('x', { if: '{% n = 1 %}' }), { name: 'w', wait: { for: '90h' } }],
      },
    };
    writeFileSync(path.join(cwd, 'f.json'), JSON.stringify(flows));
    const answers = { answers: { x: { takes: '2m' } } };
    writeFileSync(path.join(cwd, 'f.test.json'), JSON.stringify(answers));
    const { code, stdout } = await test('--flow', 'f');
    expect(stdout).toMatch(/^f, scenario 1: succeeded after 5402m/m);
    expect(stdout).toMatch(/^call#1\/x +after +clean +clean +clean$/m);
    expect(code).toBe(EXIT.done);
  });

  it('takes the end of a child task from the test file', async () => {
    const call = { name: 'call', flow: { name: 'elsewhere' } };
    const after = step('after', { if: '{% $steps.call.output.size = 3 %}' });
    write([step('a'), call, after], { answers: { call: { output: { size: 3 }, takes: '1h' } } });
    const done = await test();
    expect(done.stdout).toMatch(/^f, scenario 1: succeeded after 3600\d+ms/m);
    expect(done.stdout).toMatch(/^after +before +clean/m);
    expect(done.code).toBe(EXIT.done);
    const answers = { call: { error: 'FULL' } };
    write([step('a'), call], { answers, expect: { status: 'rolled_back' } });
    expect((await test()).code).toBe(EXIT.done);
    write([step('a'), call], {});
    const { code, stdout } = await test();
    expect(stdout).toContain('flow elsewhere is not in the tested files');
    expect(code).toBe(EXIT.endedOtherwise);
  });

  it('holds a flow for a child task that waits for a person', async () => {
    const flows = {
      f: { input: {}, steps: [{ name: 'call', flow: { name: 'g' } }] },
      g: { input: {}, onFailure: 'hold', steps: [step('x')] },
    };
    writeFileSync(path.join(cwd, 'f.json'), JSON.stringify(flows));
    const { stdout } = await test('--flow', 'f');
    expect(stdout).toMatch(/^call#1\/x +before +held! +held! +held!$/m);
  });

  it.each([
    ['{"answer": {}}', /f\.test\.json:1:1 \/ has an unknown member: answer/],
    ['{"answers": {"z": {}}}', /flow f has no step and no command z/],
    ['{', /f\.test\.json:1:\d/],
  ])('says what is wrong with a test file: %s', async (text, fault) => {
    write([step('a')]);
    writeFileSync(path.join(cwd, 'f.test.json'), text);
    const { code, stderr } = await test();
    expect(stderr).toMatch(fault);
    expect(code).toBe(EXIT.usage);
  });

  it('says what is wrong with a flow file, or that there is none', async () => {
    writeFileSync(path.join(cwd, 'f.json'), '{"f": [{"normal": {"module": "m"}}]}');
    const wrong = await test();
    expect(wrong).toMatchObject({ code: EXIT.usage });
    expect(wrong.stderr).toMatch(/f\.json:1:\d+ MISSING_MEMBER/);
    const none = await run(['flow', 'test', 'none.json'], { cwd });
    expect(none).toMatchObject({
      code: EXIT.usage,
      stderr: 'error: none.json cannot be read: ENOENT\n',
    });
  });

  it.each(['test', 'validate'])('%s refuses test files alone', async (verb) => {
    const { code, stderr } = await run(['flow', verb, 'f.test.json'], { cwd });
    expect(stderr).toMatch(/^error: there is no flow in f\.test\.json\n/);
    expect(code).toBe(EXIT.usage);
  });
});

it('every flow that is shipped fares as its test file says', async () => {
  const isFlow = (name: string): boolean => /(?<!\.test)\.jsonc?$/.test(name);
  const files = readdirSync(path.join(ROOT, 'flow-configs')).filter(isFlow);
  const argv = ['flow', 'test', ...files.map((file) => `flow-configs/${file}`)];
  const { code, stdout } = await run(argv, { cwd: ROOT });
  expect(stdout).not.toContain('!');
  expect(code).toBe(EXIT.done);
});

it('flow test ends when its time is over, also within a flow', async () => {
  const cwd = mkdtempSync(path.join(tmpdir(), 'backstep-flow-test-'));
  const steps = Array.from({ length: 60 }, (_, n) => step(`s${n}`));
  writeFileSync(path.join(cwd, 'f.json'), JSON.stringify({ f: steps }));
  const { code } = await run(['flow', 'test', 'f.json', '--timeout', '100ms'], { cwd });
  rmSync(cwd, { recursive: true });
  expect(code).toBe(EXIT.timeOver);
});

interface Found {
  readonly direction: string;
  readonly how: string;
  readonly result: string;
  readonly run: string;
  readonly where: string;
}
