import { expect, it } from '@jest/globals';
import { parseFlowFile, validateFlowText } from '../parse-flow-file.js';
import { remarksOnFlows } from './examine.js';

const SET = { set: { a: 1 } };

function locks(...names: string[]): { readonly locks: readonly { readonly name: string }[] } {
  return { locks: names.map((name) => ({ name })) };
}

/** Pointers of the warnings to these flows, all of which must be of locks. */
function inverted(flows: Readonly<Record<string, object>>): readonly string[] {
  return warned('LOCKS_INVERTED', flows);
}

/** The same of another code. */
function warned(known: string, flows: Readonly<Record<string, object>>): readonly string[] {
  const text = JSON.stringify(
    Object.fromEntries(Object.entries(flows).map(([name, flow]) => [name, { input: {}, ...flow }])),
  );
  const { problems, warnings } = validateFlowText(text);
  expect(problems).toEqual([]);
  expect(warnings.filter(({ code }) => code !== known)).toEqual([]);
  return warnings.map(({ pointer }) => pointer);
}

it('two flows that take the same locks in opposite orders are both warned', () => {
  const one = { ...locks('a'), steps: [{ ...SET, ...locks('b') }] };
  const other = { ...locks('b'), steps: [{ group: [{ ...SET, ...locks('z', 'a') }] }] };
  expect(inverted({ one, other })).toEqual([
    '/one/steps/0/locks/0/name',
    '/other/steps/0/group/0/locks/1/name',
  ]);
});

it('branches of one flow are warned, and so are child tasks that run steps of it', () => {
  const nested = (held: string, asked: string) => {
    return { ...locks(held), group: [{ ...SET, ...locks(asked) }] };
  };
  const branches = { steps: [{ parallel: { x: [nested('a', 'b')], y: [nested('b', 'a')] } }] };
  expect(inverted({ branches })).toEqual([
    '/branches/steps/0/parallel/x/0/group/0/locks/0/name',
    '/branches/steps/0/parallel/y/0/group/0/locks/0/name',
  ]);
  const each = { in: [1], as: 'x', steps: [{ ...SET, ...locks('b') }] };
  const children = {
    steps: [
      { name: 'x', foreach: each, ...locks('a') },
      { name: 'y', ...nested('b', 'a') },
    ],
  };
  expect(inverted({ children })).toHaveLength(2);
});

it('locks of child tasks are followed, also below other child tasks', () => {
  const parent = { ...locks('x'), steps: [{ flow: { name: 'middle' } }] };
  const middle = { steps: [{ foreach: { in: [1], as: 'n', flow: 'child' } }] };
  const child = { input: { properties: { n: {} } }, steps: [{ ...SET, ...locks('y') }] };
  const other = { ...locks('y'), steps: [{ ...SET, ...locks('x') }] };
  expect(inverted({ parent, middle, child, other })).toEqual([
    '/parent/steps/0/flow/name',
    '/other/steps/0/locks/0/name',
  ]);
});

const SLOTS = { locks: [{ name: 'x', slots: 2 }] };
const START = { flow: { name: 'child' } };
const OLD = { flow: { name: 'child', version: 1 } };
const EACH = { in: [1], as: 'n', steps: [{ ...SET, ...locks('x') }] };

it.each<[string, Readonly<Record<string, object>>, readonly string[]]>([
  ['of the flow', { parent: { ...locks('x'), steps: [START] } }, ['/parent/steps/0/flow/name']],
  [
    'of the step',
    { parent: { steps: [{ ...START, ...locks('x') }] } },
    ['/parent/steps/0/flow/name'],
  ],
  [
    'of a list of steps',
    { parent: { ...locks('x'), steps: [{ foreach: EACH }] } },
    ['/parent/steps/0/foreach/steps/0/locks/0/name'],
  ],
  ['asked for by another version', { parent: { ...locks('x'), steps: [OLD] } }, []],
  ['of another step', { parent: { steps: [{ ...SET, ...locks('x') }, START] } }, []],
  [
    'with more slots',
    { parent: { ...SLOTS, steps: [START] }, child: { ...SLOTS, steps: [SET] } },
    [],
  ],
])('a lock of the parent that a child task asks for is told: %s', (_, flows, pointers) => {
  const child = { steps: [{ ...SET, ...locks('x') }] };
  expect(warned('LOCK_OF_PARENT', { child, ...flows })).toEqual(pointers);
});

it('an expression that is written twice may come to one name', () => {
  const fleet = '{% $string($task.id) %}';
  const one = { ...locks('a'), steps: [{ ...SET, ...locks(fleet) }] };
  const other = { ...locks(fleet), steps: [{ ...SET, ...locks('a') }] };
  expect(inverted({ one, other })).toHaveLength(2);
});

it.each([
  ['of one list, whatever their order', [SET].map((step) => ({ ...step, ...locks('b', 'a') }))],
  [
    'one after the other',
    [
      { ...SET, ...locks('b') },
      { ...SET, ...locks('a') },
    ],
  ],
  ['held already', [{ ...locks('b'), group: [{ ...SET, ...locks('b') }] }]],
])('locks are in order that are %s', (_, steps) => {
  expect(inverted({ one: { steps }, other: { steps: [{ ...SET, ...locks('a', 'b') }] } })).toEqual(
    [],
  );
});

it('flows of other files are compared once all are known', () => {
  const read = (name: string, held: string, asked: string) => {
    const flow = { input: {}, ...locks(held), steps: [{ ...SET, ...locks(asked) }] };
    return parseFlowFile(JSON.stringify({ [name]: flow })).flows.map((each) => each.definition);
  };
  const all = [...read('one', 'a', 'b'), ...read('two', 'b', 'a'), ...read('three', 'a', 'b')];
  const remarks = all.map((definition) => remarksOnFlows(definition, all));
  expect(remarks).toEqual([
    [expect.stringMatching(/`two` holds `b` .* \[LOCKS_INVERTED\]$/)],
    [expect.stringMatching(/`one` holds `a` .* \[LOCKS_INVERTED\]$/)],
    [expect.stringMatching(/`two` holds `b` .* \[LOCKS_INVERTED\]$/)],
  ]);
});
