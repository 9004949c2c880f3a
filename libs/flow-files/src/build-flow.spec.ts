import { describe, expect, it } from '@jest/globals';
import { type Action, type FlowDefinition, NO_RETRY, RESTARTS_FORWARD } from '#core';
import { hashFlow, parseFlowFile } from './parse-flow-file.js';

function some<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('nothing was parsed');
  return value;
}

function parse(text: string): FlowDefinition {
  const { flows, problems } = parseFlowFile(text);
  expect(problems).toEqual([]);
  return some(flows[0]).definition;
}

function parseAction(members: string): Action {
  const text = `{ "f": [{ "normal": { "module": "m", "command": "c", ${members} } }] }`;
  return some(some(parse(text).steps[0]).normal);
}

const steps = (...written: string[]) => parse(`{ "f": [${written.join()}] }`).steps;
const run = (command: string, more = '') => {
  return `{ "normal": { "module": "m", "command": "${command}" } ${more} }`;
};

describe('what is not written', () => {
  it('has its default', () => {
    expect(parse('{ "f": [{ "normal": { "module": "m", "command": "c" } }] }')).toEqual({
      name: 'f',
      description: null,
      input: null,
      timeoutMs: null,
      steps: [
        {
          name: 'c',
          needs: [],
          normal: {
            module: 'm',
            command: 'c',
            timeoutMs: 300_000,
            attemptTimeoutMs: null,
            retry: NO_RETRY,
            onCrash: RESTARTS_FORWARD,
            parameters: null,
          },
          rollback: null,
        },
      ],
    });
  });

  it.each([
    ['"retry": 0', { ...NO_RETRY }],
    ['"retry": 3', { ...NO_RETRY, attempts: 4 }],
    ['"retry": { "attempts": 3 }', growing({})],
    ['"retry": { "attempts": 3, "delay": "5m" }', growing({ delayMs: 300_000, max: 300_000 })],
    ['"retry": { "attempts": 3, "maxDelay": null }', growing({ max: null })],
    ['"retry": { "attempts": 3, "jitter": true }', { ...growing({}), jitter: true }],
    [
      '"retry": { "attempts": 3, "backoff": "fixed" }',
      { ...growing({ max: null }), backoff: 'fixed' },
    ],
  ])('%s is a whole policy', (members, policy) => {
    expect(parseAction(members).retry).toEqual(policy);
  });

  function growing({ delayMs = 1_000, max = 60_000 }: { delayMs?: number; max?: number | null }) {
    return { attempts: 3, backoff: 'exponential', delayMs, maxDelayMs: max, jitter: false };
  }
});

describe('a crash', () => {
  const policies = (more: string) => {
    const action = `{ "module": "m", "command": "c" ${more} }`;
    const [step] = steps(`{ "normal": ${action}, "rollback": ${action} }`);
    return [step?.normal?.onCrash, step?.rollback?.onCrash];
  };

  it('costs an action three restarts, and a rollback ten, where nothing else is written', () => {
    expect(policies('')).toEqual([{ restarts: 3 }, { restarts: 10 }]);
  });

  it.each(['{ "restarts": 0 }', '{ "restarts": 100 }', '"fail"'])('costs %s', (written) => {
    const policy: unknown = JSON.parse(written);
    expect(policies(`, "onCrash": ${written}`)).toEqual([policy, policy]);
  });
});

describe('a duration', () => {
  it.each([
    ['300', 300_000],
    ['"1.5h"', 5_400_000],
  ])('%s is %i milliseconds', (written, ms) => {
    expect(parseAction(`"timeout": ${written}`).timeoutMs).toBe(ms);
  });
});

describe('a step', () => {
  it('without a name is named after its command, and never takes a written name', () => {
    const written = [run('c'), run('d', ', "name": "c"'), run('c'), run('c', ', "name": "c-3"')];
    expect(steps(...written).map(({ name }) => name)).toEqual(['c-2', 'c', 'c-4', 'c-3']);
  });

  it('needs the one before it where no step says what it needs', () => {
    expect(steps(run('a'), run('b'), run('c')).map(({ needs }) => needs)).toEqual([[], [0], [1]]);
  });

  it('that does not say what it needs starts at once where another step says', () => {
    const written = [run('a'), run('b'), run('c', ', "needs": ["b", "a"]')];
    expect(steps(...written).map(({ needs }) => needs)).toEqual([[], [], [0, 1]]);
  });

  it('may need a step further down, and one by the name made up for it', () => {
    const written = [run('a', ', "needs": ["b-2"]'), run('b'), run('b')];
    expect(steps(...written).map(({ needs }) => needs)).toEqual([[2], [], []]);
  });

  it('may have null for a rollback', () => {
    expect(steps(run('a', ', "rollback": null'))[0]?.rollback).toBeNull();
  });
});

describe('a group', () => {
  it('has its default for what is not written, and is named after its kind', () => {
    expect(steps(`{ "group": [${run('a')}, ${run('a')}] }`, `{ "group": [${run('a')}] }`)).toEqual([
      {
        name: 'group',
        needs: [],
        group: [pair('a', []), pair('a-2', [0])],
        retry: NO_RETRY,
        timeoutMs: null,
      },
      { name: 'group-2', needs: [0], group: [pair('a', [])], retry: NO_RETRY, timeoutMs: null },
    ]);
  });

  it('has a retry and a timeout of its own, and its list names and order of its own', () => {
    const more = '"retry": { "attempts": 3, "delay": "2s" }, "timeout": "1m"';
    const inner = `${run('b', ', "needs": ["c"]')}, ${run('c')}`;
    const [, made] = steps(run('b'), `{ "name": "g", "group": [${inner}], ${more} }`);
    expect(made).toMatchObject({
      name: 'g',
      needs: [0],
      group: [
        { name: 'b', needs: [1] },
        { name: 'c', needs: [] },
      ],
      retry: { attempts: 3, backoff: 'exponential', delayMs: 2_000 },
      timeoutMs: 60_000,
    });
  });

  it('may hold groups, whose commands are checked as well', () => {
    const text = `{ "f": [{ "group": [{ "group": [${run('a')}] }] }] }`;
    const commands = { modules: () => ['m'], commands: () => ['b'] };
    expect(parseFlowFile(text).flows).toHaveLength(1);
    expect(parseFlowFile(text, { commands }).problems).toMatchObject([
      { code: 'UNKNOWN_COMMAND', pointer: '/f/0/group/0/group/0/normal/command' },
    ]);
  });

  function pair(name: string, needs: readonly number[]): unknown {
    return expect.objectContaining({ name, needs, rollback: null });
  }
});

describe('a definition', () => {
  const long = (input: string) => {
    return `{ "f": { "input": ${input}, "steps": [${run('a')}] } }`;
  };

  it('is frozen all the way down', () => {
    const { input, steps: frozen } = parse(long('{ "properties": { "cpu": {} } }'));
    const { retry } = frozen[0]?.normal ?? {};
    for (const part of [frozen, frozen[0], retry, input, input?.['properties']]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('has the same hash however it is written', () => {
    const plain = hashFlow(parse(long('{ "type": "object", "required": [] }')));
    const other = parse(`\uFEFF// words
      { "$schema": "x", "f": { "steps": [
        { "name": "a", "rollback": null, "description": "for readers", "normal": {
          "command": "a", "module": "m", "timeout": "5m", "retry": 0, }, }, ],
        "input": { "required": [], "type": "object" } } }`);
    expect(hashFlow(other)).toBe(plain);
    expect(plain).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has another hash when it means something else', () => {
    const inputs = ['{}', '{ "const": {} }', '{ "const": [] }', '{ "const": null }'];
    expect(new Set(inputs.map((input) => hashFlow(parse(long(input))))).size).toBe(4);
  });
});
