import { expect, it } from '@jest/globals';
import { flowGraph } from '../graph/graph-model.js';
import { countSteps, offsetAt, readText } from './read-text.js';
import { sampleOf } from './sample.js';

it('reads comments and trailing commas, and nothing that is no JSON', () => {
  expect(readText('// a\n[{ "set": {}, }]')?.steps).toEqual([{ set: {} }]);
  expect(readText('{ "steps": [')).toBeNull();
  expect(readText('')).toBeNull();
});

it.each([
  '{ "steps": [1, null, [], {}, "x", { "normal": 7 }] }',
  '[{ "needs": 3, "normal": { "command": {} } }, { "needs": ["gone", 1], "group": 4 }]',
  '[{ "choice": {}, "parallel": [], "loop": 1, "foreach": null, "catch": [[]] }]',
  '{ "steps": { "a": 1 } }',
  '"text"',
])('draws what is a step in %s', (text) => {
  expect(() => flowGraph(readText(text)?.steps ?? [])).not.toThrow();
});

it('names steps as the server does, and chains them', () => {
  const action = { module: 'm', command: 'a' };
  const { steps } = flowGraph([{ normal: action }, { normal: action }, { set: {} }] as never);
  expect(steps.map(({ name, needs }) => [name, needs])).toEqual([
    ['a', []],
    ['a-2', ['a']],
    ['set', ['a-2']],
  ]);
});

it('counts steps in steps, up to a bound', () => {
  const inner = Array.from({ length: 9 }, () => ({ set: {} }));
  expect(countSteps([{ group: inner }, { normal: {} }], 100)).toBe(11);
  expect(countSteps([{ group: inner }, { group: inner }], 5)).toBeGreaterThan(5);
});

it('finds the place of a line and column', () => {
  const text = 'ab\ncd\n';
  expect([offsetAt(text, 1, 1), offsetAt(text, 2, 2), offsetAt(text, 9, 9)]).toEqual([0, 4, 6]);
});

it('has a sample of the parameters that a flow requires', () => {
  const properties = {
    cpu: { type: 'integer', minimum: 2 },
    name: { type: 'string' },
    kind: { enum: ['a', 'b'] },
    more: {},
  };
  const input = { type: 'object', required: ['cpu', 'name', 'kind'], properties };
  expect(JSON.parse(sampleOf({ input, steps: [] }))).toEqual({ cpu: 2, name: '', kind: 'a' });
  expect(sampleOf([])).toBe('{}');
});
