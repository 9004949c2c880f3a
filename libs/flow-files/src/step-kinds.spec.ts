import { describe, expect, it } from '@jest/globals';
import type { StepPlan } from '#core';
import { unmarked } from '../../../test/flows/marked-text.js';
import { parseFlowFile } from './parse-flow-file.js';
import type { ProblemCode } from './problem.js';

const RUN = '{ "normal": { "module": "m", "command": "c" } }';

/** The first step of a flow with these members. */
function built(members: string): StepPlan {
  const { flows, problems } = parseFlowFile(`{ "f": [{ ${members.replaceAll('RUN', RUN)} }] }`);
  expect(problems).toEqual([]);
  return flows[0]!.definition.steps[0]!;
}

const run = (name = 'c') => expect.objectContaining({ name, needs: [], rollback: null });

/** A written step, and its plan except for `name` and `needs`. */
type Good = readonly [written: string, plan: object];

const GOOD: readonly Good[] = [
  [
    '"group": [RUN], "retry": { "forEach": "{% r %}", "as": "x" }',
    { name: 'group', group: [run()], retry: { forEach: '{% r %}', as: 'x' }, timeoutMs: null },
  ],
  [
    '"group": [RUN], "retry": { "forEach": [1, "b"], "as": "x" }, "timeout": 3',
    { retry: { forEach: [1, 'b'], as: 'x' }, timeoutMs: 3_000 },
  ],
  [
    '"choice": [{ "when": "{% a %}", "steps": [RUN] }, { "name": "b", "when": true, "steps": [RUN] }]',
    {
      name: 'choice',
      choice: [
        { name: '1', when: '{% a %}', steps: [run()] },
        { name: 'b', when: true, steps: [run()] },
      ],
      otherwise: null,
    },
  ],
  [
    '"choice": [{ "when": false, "steps": [RUN] }], "otherwise": [RUN]',
    { choice: [{ name: '1', when: false, steps: [run()] }], otherwise: [run()] },
  ],
  [
    '"parallel": { "b": [RUN], "a": [RUN] }',
    {
      name: 'parallel',
      parallel: [
        { name: 'b', steps: [run()] },
        { name: 'a', steps: [run()] },
      ],
      onBranchFailure: 'cancel',
    },
  ],
  ['"parallel": { "a": [RUN] }, "onBranchFailure": "wait"', { onBranchFailure: 'wait' }],
  [
    '"loop": { "steps": [RUN], "while": "{% a %}", "max": 1 }',
    { name: 'loop', loop: { steps: [run()], while: '{% a %}', until: null, max: 1, delay: null } },
  ],
  [
    '"loop": { "steps": [RUN], "until": false, "max": 1000, "delay": "5s" }',
    { loop: { steps: [run()], while: null, until: false, max: 1_000, delay: 5_000 } },
  ],
  [
    '"loop": { "steps": [RUN], "until": true, "max": 2, "delay": "{% 2 %}" }',
    { loop: { steps: [run()], while: null, until: true, max: 2, delay: '{% 2 %}' } },
  ],
  [
    '"set": { "a": 1, "b": { "c": "{% 1 %}" } }',
    { name: 'set', set: { a: 1, b: { c: '{% 1 %}' } }, rollback: null },
  ],
  [
    '"set": { "a": null }, "rollback": { "module": "m", "command": "u" }',
    { rollback: expect.objectContaining({ command: 'u', onCrash: { restarts: 10 } }) },
  ],
  ['"wait": { "for": "1.5h" }', { name: 'wait', wait: { for: 5_400_000 }, rollback: null }],
  ['"wait": { "for": "{% 3 %}" }', { wait: { for: '{% 3 %}' } }],
  ['"wait": { "until": " {% 3 %}\\n" }', { wait: { until: ' {% 3 %}\n' } }],
  ['"wait": { "until": "1970-01-02T01:00+01:00" }', { wait: { until: 86_400_000 } }],
  ['"wait": { "until": 1.5 }', { wait: { until: 1_500 } }],
  [
    '"wait": { "signal": "go" }',
    { wait: { signal: 'go', timeoutMs: null, onTimeout: 'fail' }, rollback: null },
  ],
  [
    '"wait": { "signal": "go", "timeout": 1, "onTimeout": "continue" }',
    { wait: { signal: 'go', timeoutMs: 1_000, onTimeout: 'continue' } },
  ],
  [
    '"approve": { "title": "Sure?" }',
    {
      name: 'approve',
      approve: { title: 'Sure?', roles: [], timeoutMs: null, onTimeout: 'fail' },
      rollback: null,
    },
  ],
  [
    '"approve": { "title": "{% t %}", "roles": ["a"], "timeout": "1h", "onTimeout": "continue" }',
    { approve: { title: '{% t %}', roles: ['a'], timeoutMs: 3_600_000, onTimeout: 'continue' } },
  ],
  ['"succeed": true', { name: 'succeed', succeed: { output: null } }],
  ['"succeed": { "output": ["{% 1 %}"] }', { succeed: { output: ['{% 1 %}'] } }],
  [
    '"fail": { "code": "A_1", "message": "no" }',
    { name: 'fail', fail: { code: 'A_1', message: 'no' } },
  ],
  ['"dynamic": { "steps": "{% a %}" }', { name: 'dynamic', dynamic: { steps: '{% a %}' } }],
  [
    '"set": { "a": 1 }, "if": "{% true %}", "optional": true, "pivot": true, "description": "d"',
    { if: '{% true %}', optional: true, pivot: true },
  ],
  [
    '"set": { "a": 1 }, "catch": [{ "errors": ["A", "*"], "steps": [RUN] }, { "errors": ["B"], "as": "e", "steps": [RUN] }]',
    {
      catch: [
        { errors: ['A', '*'], as: null, steps: [run()] },
        { errors: ['B'], as: 'e', steps: [run()] },
      ],
    },
  ],
  [
    '"normal": { "module": "m", "command": "c", "retry": { "attempts": 2, "only": ["A"], "never": ["B"] } }',
    { normal: expect.objectContaining({ retry: retryOf({ only: ['A'], never: ['B'] }) }) },
  ],
];

function retryOf(more: object): object {
  const waits = { backoff: 'exponential', delayMs: 1_000, maxDelayMs: 60_000, jitter: false };
  return { attempts: 2, ...waits, ...more };
}

describe('a step', () => {
  it.each(GOOD)('%s is read as it is meant', (written, plan) => {
    expect(built(written)).toEqual(expect.objectContaining(plan));
  });

  it('has none of the members that say nothing', () => {
    const plan = built('"set": { "a": 1 }, "optional": false, "pivot": false');
    expect(Object.keys(plan).sort()).toEqual(['name', 'needs', 'rollback', 'set']);
  });
});

/** The step, with § before what is at fault, the code, and the pointer from the step. */
type Bad = readonly [marked: string, code: ProblemCode, pointer: string];

const BAD: readonly Bad[] = [
  ['"group": [RUN], "retry": §{ "forEach": [1] }', 'MISSING_MEMBER', '/retry'],
  ['"group": [RUN], "retry": §{ "as": "x" }', 'MISSING_MEMBER', '/retry'],
  [
    '"group": [RUN], "retry": §{ "forEach": [1], "as": "x", "attempts": 2 }',
    'CONFLICTING_MEMBERS',
    '/retry',
  ],
  [
    '"group": [RUN], "retry": { "forEach": [1], "as": "x", §"delay": 2 }',
    'UNKNOWN_MEMBER',
    '/retry/delay',
  ],
  [
    '"group": [RUN], "retry": { "forEach": §"regions", "as": "x" }',
    'WRONG_EXPRESSION',
    '/retry/forEach',
  ],
  ['"group": [RUN], "retry": { "attempts": 2, §"as": "x" }', 'UNKNOWN_MEMBER', '/retry/as'],
  ['"group": [RUN], "retry": { "attempts": 2, §"only": ["A"] }', 'UNKNOWN_MEMBER', '/retry/only'],
  ['"choice": §{}', 'WRONG_TYPE', '/choice'],
  ['"choice": §[]', 'OUT_OF_RANGE', '/choice'],
  ['"choice": [§{ "steps": [RUN] }]', 'MISSING_MEMBER', '/choice/0'],
  ['"choice": [{ "when": §"size > 3", "steps": [RUN] }]', 'WRONG_EXPRESSION', '/choice/0/when'],
  ['"choice": [{ "when": §1, "steps": [RUN] }]', 'WRONG_TYPE', '/choice/0/when'],
  ['"choice": [{ "when": true, "steps": §[] }]', 'NO_STEPS', '/choice/0/steps'],
  [
    '"choice": [{ "name": §"otherwise", "when": true, "steps": [RUN] }]',
    'WRONG_NAME',
    '/choice/0/name',
  ],
  ['"choice": [{ "name": §"a~b", "when": true, "steps": [RUN] }]', 'WRONG_NAME', '/choice/0/name'],
  [
    '"choice": [{ "name": "a", "when": true, "steps": [RUN] }, { "name": §"a", "when": true, "steps": [RUN] }]',
    'DUPLICATE_CASE',
    '/choice/1/name',
  ],
  [
    '"choice": [{ "name": §"2", "when": true, "steps": [RUN] }, { "when": true, "steps": [RUN] }]',
    'DUPLICATE_CASE',
    '/choice/0/name',
  ],
  [
    '"choice": [{ "when": true, "steps": [{ "needs": [§"x"], "set": { "a": 1 } }] }]',
    'UNKNOWN_STEP',
    '/choice/0/steps/0/needs/0',
  ],
  ['"set": { "a": 1 }, §"otherwise": [RUN]', 'UNKNOWN_MEMBER', '/otherwise'],
  ['"parallel": §[]', 'WRONG_TYPE', '/parallel'],
  ['"parallel": §{}', 'OUT_OF_RANGE', '/parallel'],
  ['"parallel": { §"a b": [RUN] }', 'WRONG_NAME', '/parallel/a b'],
  ['"parallel": { §"catch": [RUN] }', 'WRONG_NAME', '/parallel/catch'],
  ['"parallel": { "a": §[] }', 'NO_STEPS', '/parallel/a'],
  ['"parallel": { "a": [RUN] }, "onBranchFailure": §"stop"', 'WRONG_VALUE', '/onBranchFailure'],
  ['"parallel": { "a": [RUN] }, §"rollback": null', 'UNKNOWN_MEMBER', '/rollback'],
  ['"loop": §{ "steps": [RUN], "until": true }', 'MISSING_MEMBER', '/loop'],
  ['"loop": §{ "steps": [RUN], "max": 2 }', 'MISSING_MEMBER', '/loop'],
  [
    '"loop": §{ "steps": [RUN], "max": 2, "while": true, "until": true }',
    'CONFLICTING_MEMBERS',
    '/loop',
  ],
  ['"loop": { "steps": [RUN], "until": true, "max": §0 }', 'OUT_OF_RANGE', '/loop/max'],
  ['"loop": { "steps": [RUN], "until": true, "max": §1001 }', 'OUT_OF_RANGE', '/loop/max'],
  [
    '"loop": { "steps": [RUN], "until": true, "max": 2, "delay": §"1w" }',
    'WRONG_DURATION',
    '/loop/delay',
  ],
  ['"set": §{}', 'OUT_OF_RANGE', '/set'],
  ['"set": §[1]', 'WRONG_TYPE', '/set'],
  ['"wait": §{}', 'MISSING_MEMBER', '/wait'],
  ['"wait": §{ "timeout": 3 }', 'MISSING_MEMBER', '/wait'],
  ['"wait": §{ "for": 1, "signal": "a" }', 'CONFLICTING_MEMBERS', '/wait'],
  ['"wait": { "for": 1, §"timeout": 2 }', 'UNKNOWN_MEMBER', '/wait/timeout'],
  ['"wait": { "for": §0 }', 'WRONG_DURATION', '/wait/for'],
  ['"wait": { "until": §"tomorrow" }', 'WRONG_MOMENT', '/wait/until'],
  ['"wait": { "until": §"2027-01-01T06:00" }', 'WRONG_MOMENT', '/wait/until'],
  ['"wait": { "until": §"2027-13-01T06:00Z" }', 'WRONG_MOMENT', '/wait/until'],
  ['"wait": { "until": §"2027-02-29T06:00Z" }', 'WRONG_MOMENT', '/wait/until'],
  ['"wait": { "signal": §"{% a %}" }', 'EXPRESSION_NOT_ALLOWED', '/wait/signal'],
  ['"approve": §{}', 'MISSING_MEMBER', '/approve'],
  ['"approve": { "title": §"" }', 'OUT_OF_RANGE', '/approve/title'],
  ['"approve": { "title": "a", "roles": [§"a b"] }', 'WRONG_NAME', '/approve/roles/0'],
  [
    '"approve": { "title": "a", "timeout": §"{% 3 %}" }',
    'EXPRESSION_NOT_ALLOWED',
    '/approve/timeout',
  ],
  ['"approve": { "title": "a" }, §"timeout": 3', 'UNKNOWN_MEMBER', '/timeout'],
  ['"succeed": §false', 'WRONG_VALUE', '/succeed'],
  ['"succeed": §{}', 'MISSING_MEMBER', '/succeed'],
  ['"fail": §{ "code": "A" }', 'MISSING_MEMBER', '/fail'],
  ['"fail": { "code": §"quota", "message": "no" }', 'WRONG_NAME', '/fail/code'],
  ['"fail": { "code": "A", "message": "no" }, §"rollback": null', 'UNKNOWN_MEMBER', '/rollback'],
  ['"set": { "a": 1 }, "if": §"a"', 'WRONG_EXPRESSION', '/if'],
  ['"set": { "a": 1 }, "optional": §"yes"', 'WRONG_TYPE', '/optional'],
  ['"set": { "a": 1 }, "pivot": §1', 'WRONG_TYPE', '/pivot'],
  ['"set": { "a": 1 }, "catch": §{}', 'WRONG_TYPE', '/catch'],
  [
    '"set": { "a": 1 }, "catch": [{ "errors": §[], "steps": [RUN] }]',
    'OUT_OF_RANGE',
    '/catch/0/errors',
  ],
  [
    '"set": { "a": 1 }, "catch": [{ "errors": [§"quota"], "steps": [RUN] }]',
    'WRONG_NAME',
    '/catch/0/errors/0',
  ],
  [
    '"set": { "a": 1 }, "catch": [{ "errors": §["A", "A"], "steps": [RUN] }]',
    'WRONG_VALUE',
    '/catch/0/errors',
  ],
  ['"set": { "a": 1 }, "catch": [§{ "errors": ["A"] }]', 'MISSING_MEMBER', '/catch/0'],
  [
    '"set": { "a": 1 }, "catch": [{ "errors": ["A"], "steps": [{ "name": "a", "set": { "a": 1 } }, { "name": §"a", "set": { "a": 1 } }] }]',
    'DUPLICATE_STEP',
    '/catch/0/steps/1/name',
  ],
  ['"set": { "a": 1 }, "locks": §[]', 'OUT_OF_RANGE', '/locks'],
  ['"set": { "a": 1 }, "locks": [§{}]', 'MISSING_MEMBER', '/locks/0'],
  ['"set": { "a": 1 }, "locks": [{ "name": "a", "slots": §0 }]', 'OUT_OF_RANGE', '/locks/0/slots'],
  ['"set": { "a": 1 }, "locks": [{ "name": §"a\\u0007" }]', 'WRONG_NAME', '/locks/0/name'],
  ['"set": { "a": 1 }, "locks": [{ "name": "{% 1 + §%}" }]', 'WRONG_EXPRESSION', '/locks/0/name'],
  ['"dynamic": §{}', 'MISSING_MEMBER', '/dynamic'],
  ['"dynamic": { "steps": §[] }', 'WRONG_TYPE', '/dynamic/steps'],
  ['"dynamic": { "steps": §"made" }', 'WRONG_EXPRESSION', '/dynamic/steps'],
  ['"dynamic": { "steps": "{% a %}" }, §"rollback": null', 'UNKNOWN_MEMBER', '/rollback'],
  [
    '"normal": { "module": "m", "command": "c", "retry": { "attempts": 2, "only": §[] } }',
    'OUT_OF_RANGE',
    '/normal/retry/only',
  ],
];

describe('a wrong step', () => {
  it.each(BAD)('%s is %s at %s', (marked, code, pointer) => {
    const written = `{ "f": [{ ${marked.replaceAll('RUN', RUN)} }] }`;
    const { text, ...place } = unmarked(written);
    const { problems } = parseFlowFile(text);
    const words = { message: expect.any(String), hint: expect.any(String) };
    expect(problems).toEqual([{ code, pointer: `/f/0${pointer}`, ...place, ...words }]);
  });

  it('is described in sentences that a person can act on', () => {
    const text = `{ "f": [
      { "loop": { "steps": [${RUN}], "max": 2 } },
      { "wait": { "for": 1, "signal": "a" } },
      { "parallel": { "a": [3] } },
      { "choice": [{ "when": true, "steps": [3] }] },
      { "loop": { "steps": [3], "until": true, "max": 2 } }
    ] }`;
    const { problems } = parseFlowFile(text);
    expect(problems.map(({ message, hint }) => `${message} ${hint}`)).toEqual([
      '`loop` has neither `while` nor `until`. Add one of them.',
      '`wait` has `for` and `signal`, but it has exactly one of these. Keep one of them.',
      expect.stringMatching(/^Step 1 of branch `a` must be an object with/),
      expect.stringMatching(/^Step 1 of case 1 must be an object with/),
      expect.stringMatching(/^Step 1 of the loop must be an object with/),
    ]);
  });
});

describe('a flow', () => {
  it('may have constants and an output, and has none of them otherwise', () => {
    const { flows } = parseFlowFile(`{ "f": {
      "constants": { "a": 1 }, "output": { "b": "{% a %}" }, "steps": [${RUN}] },
      "g": { "steps": [${RUN}] } }`);
    expect(flows[0]?.definition).toMatchObject({ constants: { a: 1 }, output: { b: '{% a %}' } });
    expect(flows[1]?.definition).not.toHaveProperty('constants');
    expect(flows[1]?.definition).not.toHaveProperty('output');
  });

  it('may have locks, by themselves and in its steps', () => {
    const locks = `"locks": [{ "name": "{% fleet %}" }, { "name": "b", "slots": 3 }]`;
    const { flows, problems } = parseFlowFile(`{ "f": { ${locks}, "input": {}, "steps": [
      { "set": { "a": 1 }, ${locks} }] } }`);
    const built = [
      { name: '{% fleet %}', slots: 1 },
      { name: 'b', slots: 3 },
    ];
    expect(problems).toEqual([]);
    expect(flows[0]?.definition.locks).toEqual(built);
    expect(flows[0]?.definition.steps[0]?.locks).toEqual(built);
  });

  it('may bound its live tasks', () => {
    const text = (maxLive: string) => `{ "f": { "maxLive": ${maxLive}, "steps": [${RUN}] } }`;
    expect(parseFlowFile(text('20')).flows[0]?.definition.maxLive).toBe(20);
    expect(parseFlowFile(text('1')).flows[0]?.definition.maxLive).toBe(1);
    for (const [wrong, code] of [
      ['0', 'OUT_OF_RANGE'],
      ['-1', 'OUT_OF_RANGE'],
      ['1.5', 'WRONG_TYPE'],
      ['"3"', 'WRONG_TYPE'],
      ['null', 'WRONG_TYPE'],
    ]) {
      const { problems } = parseFlowFile(text(wrong ?? ''));
      expect(problems).toMatchObject([{ code, pointer: '/f/maxLive' }]);
    }
  });

  it('may have a failure flow, by its name', () => {
    const text = `{ "f": { "input": {}, "failureFlow": "report", "steps": [${RUN}] } }`;
    const { flows, problems } = parseFlowFile(text);
    expect(problems).toEqual([]);
    expect(flows[0]?.definition.failureFlow).toBe('report');
    const wrong = parseFlowFile(`{ "f": { "failureFlow": "{% a %}", "steps": [${RUN}] } }`);
    const code = 'EXPRESSION_NOT_ALLOWED';
    expect(wrong.problems).toMatchObject([{ code, pointer: '/f/failureFlow' }]);
  });

  it('cannot be its own failure flow', () => {
    const { problems } = parseFlowFile(`{ "f": { "failureFlow": "f", "steps": [${RUN}] } }`);
    expect(problems).toMatchObject([{ code: 'OWN_FAILURE_FLOW', pointer: '/f/failureFlow' }]);
  });

  it('is warned of a failure flow that is neither beside it nor known elsewhere', () => {
    const f = (failureFlow: string) => {
      const own = `{ "input": {}, "failureFlow": "${failureFlow}", "steps": [{ "set": { "a": 1 } }] }`;
      const text = `{ "f": ${own}, "beside": { "input": {}, "steps": [{ "set": { "a": 1 } }] } }`;
      const stored = {
        name: 'stored',
        input: null,
        hasPivot: false,
        always: [],
        failureFlow: null,
        lockPairs: [],
        asks: new Map(),
        starts: [],
      };
      return parseFlowFile(text, { flows: [stored] }).flows[0]?.warnings;
    };
    expect(f('beside')).toEqual([]);
    expect(f('stored')).toEqual([]);
    expect(f('sotred')).toMatchObject([
      { code: 'UNKNOWN_FAILURE_FLOW', hint: expect.stringContaining('`stored`') },
    ]);
  });

  it('may hold lists of any kind in each other, sixteen deep', () => {
    const wraps: readonly ((steps: string) => string)[] = [
      (steps) => `{ "group": [${steps}] }`,
      (steps) => `{ "choice": [{ "when": true, "steps": [${steps}] }] }`,
      (steps) => `{ "choice": [{ "when": true, "steps": [${RUN}] }], "otherwise": [${steps}] }`,
      (steps) => `{ "parallel": { "a": [${steps}] } }`,
      (steps) => `{ "loop": { "steps": [${steps}], "max": 1, "until": true } }`,
      (steps) => `{ "set": { "a": 1 }, "catch": [{ "errors": ["*"], "steps": [${steps}] }] }`,
    ];
    const nest = (count: number): string => {
      let steps = RUN;
      for (let i = 0; i < count; i += 1) steps = wraps[i % wraps.length]!(steps);
      return `{ "f": [${steps}] }`;
    };
    expect(parseFlowFile(nest(16)).problems).toEqual([]);
    expect(parseFlowFile(nest(17)).problems).toMatchObject([{ code: 'GROUPS_TOO_DEEP' }]);
  });

  it('may have a thousand steps in all its lists together', () => {
    const half = Array<string>(499).fill(RUN).join();
    const text = (more: string): string =>
      `{ "f": [{ "parallel": { "a": [${half}], "b": [${half}${more}] } }, { "succeed": true }] }`;
    expect(parseFlowFile(text('')).problems).toEqual([]);
    expect(parseFlowFile(text(`,${RUN}`)).problems).toMatchObject([{ code: 'TOO_MANY_STEPS' }]);
  });
});
