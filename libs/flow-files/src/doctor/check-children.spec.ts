import { describe, expect, it } from '@jest/globals';
import { unmarked } from '../../../../test/flows/marked-text.js';
import { parseFlowFile, validateFlowText } from '../parse-flow-file.js';
import type { ProblemCode } from '../problem.js';

const RUN = '{ "normal": { "module": "m", "command": "check" } }';

/** Flows that others start: with an input, with a point of no return, and with neither. */
const OTHERS = `
  "sized": { "input": { "required": ["size"], "properties": { "size": { "type": "integer" } } },
    "steps": [{ "set": { "a": 1 } }] },
  "final": { "input": { "properties": { "x": {} } }, "onFailure": "hold", "steps": [{ "group": [
    { "set": { "a": 1 }, "pivot": true }] }] },
  "dated": { "input": { "properties": { "x": { "deprecated": true }, "y": {} } },
    "steps": [{ "set": { "a": 1 } }] },
  "plain": { "input": {}, "steps": [{ "set": { "a": 1 } }] }`;

/** A flow `f` beside the others, with these steps and members. */
function text(steps: string, members = ''): string {
  const all = steps.replaceAll('RUN', RUN);
  return `{ "f": { "input": {}, ${members} "steps": [${all}] }, ${OTHERS} }`;
}

type Case = readonly [marked: string, code: ProblemCode, pointer: string];

const REFUSED: readonly Case[] = [
  [text('{ "flow": { "name": §"f" } }'), 'ENDLESS_FLOWS', '/steps/0/flow/name'],
  [
    text('RUN, { "group": [{ "parallel": { "a": [{ "flow": { "name": §"f" } }] } }] }'),
    'ENDLESS_FLOWS',
    '/steps/1/group/0/parallel/a/0/flow/name',
  ],
  [
    text('{ "loop": { "max": 2, "until": true, "steps": [{ "flow": { "name": §"f" } }] } }'),
    'ENDLESS_FLOWS',
    '/steps/0/loop/steps/0/flow/name',
  ],
  [
    text('{ "foreach": { "in": [1], "as": "x", "flow": §"f" } }'),
    'ENDLESS_FLOWS',
    '/steps/0/foreach/flow',
  ],
  [
    text('{ "foreach": { "in": [1], "as": "x", "steps": [{ "flow": { "name": §"f" } }] } }'),
    'ENDLESS_FLOWS',
    '/steps/0/foreach/steps/0/flow/name',
  ],
];

const WARNED: readonly Case[] = [
  [
    text('{ "flow": { "name": "sized", "parameters": { "size": §"big" } } }'),
    'WRONG_CHILD_PARAMETERS',
    '/steps/0/flow/parameters/size',
  ],
  [text('{ "flow": §{ "name": "sized" } }'), 'WRONG_CHILD_PARAMETERS', '/steps/0/flow'],
  [
    text(
      '{ "set": { "b": 1 } }, { "flow": { "name": "sized", "parameters": { "size": 1, "sise": §"{% b %}" } } }',
    ),
    'WRONG_CHILD_PARAMETERS',
    '/steps/1/flow/parameters/sise',
  ],
  [
    text(
      '{ "foreach": { "in": [1], "as": "host", "flow": "sized", "parameters": §{ "size": 1 } } }',
    ),
    'WRONG_CHILD_PARAMETERS',
    '/steps/0/foreach/parameters',
  ],
  [
    text('{ "flow": { "name": "dated", "parameters": { "x": §1, "y": 2 } } }'),
    'DEPRECATED_MEMBER',
    '/steps/0/flow/parameters/x',
  ],
  [
    text('{ "foreach": §{ "in": [1], "as": "x", "flow": "dated" } }'),
    'DEPRECATED_MEMBER',
    '/steps/0/foreach',
  ],
  [text('{ "flow": { "name": §"final" } }, RUN'), 'PIVOT_IN_CHILD', '/steps/0/flow/name'],
  [
    text('{ "group": [{ "flow": { "name": §"final" } }] }, RUN'),
    'PIVOT_IN_CHILD',
    '/steps/0/group/0/flow/name',
  ],
  [
    text('{ "parallel": { "a": [{ "flow": { "name": §"final" } }], "b": [RUN] } }'),
    'PIVOT_IN_CHILD',
    '/steps/0/parallel/a/0/flow/name',
  ],
  [
    text('{ "foreach": { "in": "{% $keys($) %}", "as": "x", "flow": §"final" } }'),
    'PIVOT_IN_CHILD',
    '/steps/0/foreach/flow',
  ],
  [
    text(
      '{ "foreach": §{ "in": [1, 2], "as": "x", "steps": [{ "set": { "a": 1 }, "pivot": true }] } }',
      '"onFailure": "hold",',
    ),
    'PIVOT_IN_CHILD',
    '/steps/0/foreach',
  ],
];

const SOUND: readonly string[] = [
  text('{ "if": "{% a %}", "flow": { "name": "f" } }').replace(
    '{}',
    '{ "properties": { "a": {} } }',
  ),
  text('{ "optional": true, "flow": { "name": "f" } }'),
  text('{ "flow": { "name": "f" }, "catch": [{ "errors": ["*"], "steps": [RUN] }] }'),
  text('{ "flow": { "name": "f", "version": 1 } }'),
  text('{ "choice": [{ "when": true, "steps": [{ "flow": { "name": "f" } }] }] }'),
  text('{ "foreach": { "in": "{% [] %}", "as": "x", "flow": "f" } }').replace(
    '{}',
    '{ "properties": { "x": {} } }',
  ),
  text('{ "flow": { "name": "sized", "parameters": { "size": 3 } } }'),
  text('{ "flow": { "name": "sized", "parameters": { "size": "{% 3 %}" } } }'),
  text('{ "flow": { "name": "sized", "parameters": "{% $ %}" } }'),
  text('{ "flow": { "name": "sized", "version": 1 } }'),
  text('{ "foreach": { "in": [1], "as": "size", "flow": "sized" } }'),
  text('RUN, { "flow": { "name": "final" } }'),
  text('{ "flow": { "name": "final" }, "pivot": true }, RUN', '"onFailure": "hold",'),
  text('{ "foreach": { "in": [1], "as": "x", "flow": "final" } }'),
  text('{ "foreach": { "in": [1, 2], "as": "x", "flow": "final", "successPercent": 0 } }'),
  text('{ "flow": { "name": "unknown to this text" } }'),
];

describe('child tasks that never end', () => {
  it.each(REFUSED)('%s is %s', (marked, code, pointer) => {
    const { text: written, ...place } = unmarked(marked);
    const { problems } = parseFlowFile(written);
    expect(problems).toMatchObject([{ code, pointer: `/f${pointer}`, ...place }]);
  });

  it('are found in a ring of flows, and refused in each of them', () => {
    const start = (name: string) => `{ "input": {}, "steps": [{ "flow": { "name": "${name}" } }] }`;
    const ring = `{ "a": ${start('b')}, "b": ${start('c')}, "c": ${start('a')}, "d": ${start('a')} }`;
    const { flows, problems } = parseFlowFile(ring);
    expect(problems.map(({ code, pointer }) => [code, pointer])).toEqual(
      ['a', 'b', 'c'].map((name) => ['ENDLESS_FLOWS', `/${name}/steps/0/flow/name`]),
    );
    expect(problems[0]?.message).toContain('`a` starts `b` starts `c` starts `a`');
    expect(flows.map(({ definition }) => definition.name)).toEqual(['d']);
  });
});

describe('child tasks that may surprise', () => {
  it.each(WARNED)('%s has the warning %s', (marked, code, pointer) => {
    const { text: written, ...place } = unmarked(marked);
    const { problems, warnings } = validateFlowText(written);
    expect(problems).toEqual([]);
    expect(warnings).toMatchObject([{ code, pointer: `/f${pointer}`, ...place }]);
  });

  it('are those of a flow that is not there, where all flows are known', () => {
    const { flows } = parseFlowFile(text('{ "flow": { "name": "plian" } }'), { flows: [] });
    expect(flows[0]?.warnings).toMatchObject([
      {
        code: 'UNKNOWN_CHILD_FLOW',
        pointer: '/f/steps/0/flow/name',
        hint: 'Did you mean `plain`?',
      },
    ]);
  });
});

it.each(SOUND)('%s has neither problems nor warnings', (written) => {
  expect(validateFlowText(written)).toEqual({ valid: true, problems: [], warnings: [] });
});

it('failure flows in a ring have a warning', () => {
  const flow = (name: string) => {
    return `{ "input": {}, "failureFlow": "${name}", "steps": [{ "set": { "a": 1 } }] }`;
  };
  const { warnings } = validateFlowText(
    `{ "a": ${flow('b')}, "b": ${flow('c')}, "c": ${flow('b')} }`,
  );
  expect(warnings.map(({ code, pointer }) => [code, pointer])).toEqual([
    ['FAILURE_FLOW_RING', '/b/failureFlow'],
    ['FAILURE_FLOW_RING', '/c/failureFlow'],
  ]);
});

it('a failure flow that runs its flow again, or one that it is of, has a warning', () => {
  const again = (step: string) => `{ "input": {}, "steps": [${step}] }`;
  const child = '{ "flow": { "name": "a" } }';
  const failing = `{ "input": {}, "failureFlow": "mend", "steps": [{ "set": { "a": 1 } }] }`;
  const mends = [child, `{ "group": [${child}] }`, '{ "flow": { "name": "b" } }'];
  const rings = mends.map((step) => {
    return validateFlowText(`{ "a": ${failing}, "mend": ${again(step)}, "b": ${again(child)} }`)
      .warnings;
  });
  expect(rings.map(([first, ...more]) => [first?.code, first?.pointer, more])).toEqual(
    mends.map(() => ['FAILURE_FLOW_RING', '/a/failureFlow', []]),
  );
  expect(rings[2]![0]!.message).toContain('`a` starts `mend` starts `b` starts `a`');
  const guarded = `{ "if": "{% nth < 3 %}", ${child.slice(1)}`;
  const mend = `{ "input": { "properties": { "nth": {} } }, "steps": [${guarded}] }`;
  expect(validateFlowText(`{ "a": ${failing}, "mend": ${mend} }`).warnings).toEqual([]);
});

it('a bound on live tasks that does little has a warning', () => {
  const flow = (maxLive: number, step: string) => {
    return `{ "a": { "input": {}, "maxLive": ${maxLive}, "steps": [${step}] } }`;
  };
  const codesOf = (text: string) => {
    const { warnings } = validateFlowText(text);
    return warnings.map(({ code, pointer }) => [code, pointer]);
  };
  const plain = '{ "set": { "a": 1 } }';
  expect(codesOf(flow(10_000, plain))).toEqual([]);
  expect(codesOf(flow(10_001, plain))).toEqual([['MAX_LIVE_TOO_HIGH', '/a/maxLive']]);
  const own = '{ "if": "{% $exists(b) %}", "flow": { "name": "a" } }';
  expect(codesOf(flow(10, own))).toContainEqual(['MAX_LIVE_PASSED_BY', '/a/steps/0/flow/name']);
});

const ARRAY = { type: 'array' };
const BOUND = { type: 'array', maxItems: 5 };
const NUMBER = { type: 'integer' };

/** Pointers and messages of the warnings to a `foreach` over an expression. */
function warningsOf(
  items: string,
  properties: Readonly<Record<string, unknown>>,
  before: readonly unknown[] = [],
): readonly (readonly [string, string])[] {
  const each = { foreach: { in: items, as: 'item', steps: [{ set: { a: 1 } }] } };
  const flow = { input: { properties }, steps: [...before, each] };
  const { problems, warnings } = validateFlowText(JSON.stringify({ f: flow }));
  expect(problems).toEqual([]);
  const found = warnings.filter(({ code }) => code === 'FOREACH_WITHOUT_BOUND');
  expect(found).toEqual(warnings);
  return found.map(({ message, pointer }) => [pointer, /`(.+?)`/.exec(message)?.[1] ?? '']);
}

it.each([
  ['{% hosts %}', { hosts: ARRAY }, 'hosts'],
  ['{% $.hosts %}', { hosts: { type: ['array', 'null'] } }, 'hosts'],
  ['{% $input.hosts %}', { hosts: ARRAY }, 'hosts'],
  ['{% fleet.hosts %}', { fleet: { type: 'object', properties: { hosts: ARRAY } } }, 'fleet.hosts'],
  ['{% $filter(hosts, function($each) { $each > 1 }) %}', { hosts: ARRAY }, 'hosts'],
  ['{% hosts[$ > 1] %}', { hosts: ARRAY }, 'hosts'],
  ['{% [1..count] %}', { count: NUMBER }, 'count'],
])('%s of a request that says %j has no bound', (items, properties, member) => {
  expect(warningsOf(items, properties)).toEqual([['/f/steps/0/foreach/in', member]]);
});

it.each([
  ['{% hosts %}', { hosts: BOUND }],
  ['{% fleet.hosts %}', { fleet: { type: 'object', properties: { hosts: BOUND } } }],
  ['{% $map(hosts, $string) %}', { hosts: BOUND }],
  ['{% [1..count] %}', { count: { type: 'integer', maximum: 9 } }],
  ['{% [1..count] %}', { count: { enum: [1, 2] } }],
  ['{% [count] %}', { count: NUMBER }],
  ['{% $keys(labels) %}', { labels: { type: 'object' } }],
  ['{% [1..9] %}', {}],
])('%s of a request that says %j has one', (items, properties) => {
  expect(warningsOf(items, properties)).toEqual([]);
});

it('a list that the flow sets itself is none of a request', () => {
  const set = { set: { hosts: [1, 2] } };
  expect(warningsOf('{% hosts %}', { hosts: ARRAY }, [set])).toEqual([]);
  expect(warningsOf('{% $input.hosts %}', { hosts: ARRAY }, [set])).toHaveLength(1);
});
