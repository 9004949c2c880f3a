import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';

/** A step with commands of module `m`. */
function step(name: string, more: object = {}): object {
  const undo = { module: 'm', command: `remove_${name}`, retry: 2 };
  return { name, normal: { module: 'm', command: `create_${name}` }, rollback: undo, ...more };
}

/** A branch that no scenario took. */
interface Unreached {
  readonly step: string;
  readonly branch: string;
  readonly scenario: object;
}

describe('flow test', () => {
  let cwd: string;

  beforeEach(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'backstep-unreached-'));
  });

  afterEach(() => rmSync(cwd, { recursive: true }));

  const test = (...more: string[]) => run(['flow', 'test', 'f.json', ...more], { cwd });

  describe('with what no scenario reaches', () => {
    const set = (name: string) => ({ set: { [name]: 1 } });
    const input = {
      required: ['cpu'],
      properties: {
        cpu: { type: 'integer' },
        hosts: { type: 'array', maxItems: 5, items: { type: 'string' } },
      },
    };
    const large = { name: 'large', when: '{% cpu > 32 %}', steps: [set('gpu')] };
    const steps = [
      { name: 'pick', choice: [large], otherwise: [set('none')] },
      { name: 'ask', if: '{% cpu >= 8 %}', approve: { title: 'sure?' } },
      { ...step('a'), catch: [{ errors: ['QUOTA'], steps: [set('caught')] }] },
      { name: 'each', foreach: { in: '{% $append(hosts, []) %}', as: 'h', steps: [set('x')] } },
      { name: 'again', loop: { max: 3, until: '{% cpu < 99 %}', steps: [set('y')] } },
    ];

    async function unreached(scenarios?: readonly object[]): Promise<readonly Unreached[]> {
      writeFileSync(path.join(cwd, 'f.json'), JSON.stringify({ f: { input, steps } }));
      const file = path.join(cwd, 'f.test.json');
      if (scenarios !== undefined) writeFileSync(file, JSON.stringify({ scenarios }));
      const { stdout } = await test('-o', 'json');
      return (JSON.parse(stdout) as { unreached: readonly Unreached[] }).unreached;
    }

    it('lists each branch with a scenario that takes it', async () => {
      const found = await unreached();
      expect(found.map(({ branch, step: name }) => `${name}: ${branch}`)).toEqual([
        'pick: case large',
        'ask: its condition holds',
        'a: catch QUOTA',
        'each: a child task',
        'again: a second round',
      ]);
      expect(found.map(({ scenario }) => scenario).slice(0, 3)).toMatchObject([
        { name: 'pick: case large', parameters: { cpu: 33 } },
        { parameters: { cpu: 8 } },
        { answers: { a: { error: 'QUOTA' } } },
      ]);
      const rest = await unreached(found.map(({ scenario }) => scenario));
      const left = rest.map(({ branch, step: name }) => `${name}: ${branch}`);
      expect(left).toEqual(['each: a child task', 'again: a second round']);
    });

    it('shows them as lines to paste', async () => {
      await unreached();
      const { stdout } = await test();
      expect(stdout).toContain('f: no scenario reaches\n  pick: case large\n    {"name":');
    });
  });

  it('refuses a flow whose command requires what nothing gives it', async () => {
    const sleep = { normal: { module: 'lab', command: 'sleep' } };
    writeFileSync(path.join(cwd, 'f.json'), JSON.stringify({ f: { input: {}, steps: [sleep] } }));
    const { code, stderr } = await test();
    expect(stderr).toContain('MISSING_PARAMETER `lab.sleep` requires `ms`');
    expect(code).toBe(EXIT.usage);
    const validated = await run(['flow', 'validate', 'f.json', '--url', 'http://127.0.0.1:9'], {
      cwd,
    });
    expect(validated.code).toBe(EXIT.usage);
    expect(validated.stderr + validated.stdout).toContain('MISSING_PARAMETER');
  });

  it('warns of a parameter that only the output of a command may give', async () => {
    const normal = (command: string) => ({ normal: { module: 'lab', command } });
    const flow = { input: {}, steps: [normal('succeed'), normal('sleep')] };
    writeFileSync(path.join(cwd, 'f.json'), JSON.stringify({ f: flow }));
    const { code, stderr } = await test();
    expect(stderr).toMatch(/^f\.json:\d+:\d+ UNCERTAIN_PARAMETER `lab\.sleep` requires `ms`/m);
    expect(code).toBe(EXIT.done);
  });
});
