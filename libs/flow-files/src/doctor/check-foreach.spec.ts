import { expect, it } from '@jest/globals';
import { validateFlowText } from '../parse-flow-file.js';

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
