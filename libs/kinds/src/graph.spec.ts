import { describe, expect, it } from '@jest/globals';
import { flatGraph, flowGraph, taskGraph } from './graph.js';

const action = (command: string) => ({ module: 'm', command });
const step = (id: string, more: object = {}) => ({
  ...{ id, name: id.split('/').at(-1) ?? id, kind: 'normal', needs: [], state: 'succeeded' },
  ...{ generation: 1, attempts: 1, timeStart: 1, timeEnd: 2, normal: action('do') },
  ...more,
});
const scope = (kind: string, name: string, steps: ReturnType<typeof step>[]) => {
  return { kind, name, way: 'forward' as const, steps };
};
const edges = (steps: Parameters<typeof taskGraph>[0]) => {
  return flatGraph(taskGraph(steps)).edges.map(({ from, to, used }) => {
    return `${from} ${used ? '=>' : '->'} ${to}`;
  });
};

describe('the edges of a task', () => {
  it('are used as far as the task went', () => {
    const failed = step('b', { needs: ['a'], state: 'failed' });
    const rest = step('c', { needs: ['b'], state: 'pending' });
    expect(edges([step('a'), failed, rest])).toEqual(['a => b', 'b -> c']);
  });

  it('go into each scope, to the steps with which it begins', () => {
    const rounds = ['1', '2'].map((name) => {
      const run = `poll#${name}`;
      const state = name === '2' ? 'running' : 'succeeded';
      const inner = [
        step(`${run}/x`, { state }),
        step(`${run}/y`, { needs: ['x'], state: 'pending' }),
      ];
      return scope('round', name, inner);
    });
    const poll = step('poll', { kind: 'loop', normal: undefined, scopes: rounds });
    expect(edges([step('a'), { ...poll, needs: ['a'] }])).toEqual([
      'a => poll',
      'poll#1/x -> poll#1/y',
      'poll => poll#1/x',
      'poll#2/x -> poll#2/y',
      'poll => poll#2/x',
    ]);
  });

  it('are found in a long chain, too', () => {
    const chain = Array.from({ length: 10_000 }, (_, n) => {
      return step(`s${n}`, { needs: n === 0 ? [] : [`s${n - 1}`] });
    });
    expect(flatGraph(taskGraph(chain)).edges).toHaveLength(9_999);
  });
});

describe('the nodes of a task', () => {
  it('say where a step stands, and how it and its undo do', () => {
    const rollback = { ...action('undo'), state: 'succeeded' };
    const inner = step('fork#one/x', { rollback, pivot: true });
    const fork = step('fork', {
      kind: 'parallel',
      normal: undefined,
      scopes: [scope('branch', 'one', [inner])],
    });
    const { nodes } = flatGraph(taskGraph([fork]));
    expect(nodes[0]).toMatchObject({ id: 'fork', in: null, action: null, undo: null });
    expect(nodes[1]).toEqual({
      ...{ id: 'fork#one/x', name: 'x', kind: 'normal', state: 'succeeded', pivot: true },
      in: { step: 'fork', kind: 'branch', name: 'one', title: 'branch one', way: 'forward' },
      action: action('do'),
      undo: { state: 'succeeded', action: action('undo') },
      ...{ generation: 1, attempts: 1, timeStart: 1, timeEnd: 2, children: null },
    });
  });

  it('count child tasks, and say that they are undone', () => {
    const children = {
      total: 9,
      started: 4,
      succeeded: 1,
      failed: 3,
      active: 0,
      way: 'back' as const,
    };
    const foreach = { in: [1], as: 'host', steps: [{ name: 'x', normal: action('x') }] };
    const fleet = step('fleet', { kind: 'foreach', normal: undefined, foreach, children });
    const { nodes } = flatGraph(taskGraph([fleet]));
    expect(nodes).toHaveLength(1);
    expect(nodes[0]).toMatchObject({ children, undo: { state: 'running', action: null } });
  });
});

describe('the graph of a flow', () => {
  it('is a chain without needs, whatever its text is', () => {
    const flow = flowGraph([{ normal: action('x') }, null, { normal: action('x') }, { set: {} }]);
    const shown = flow.map(({ id, name, needs }) => [id, name, needs]);
    expect(shown).toEqual([
      ['0', 'x', []],
      ['2', 'x-2', ['x']],
      ['3', 'set', ['x-2']],
    ]);
    expect(flowGraph('no list')).toEqual([]);
  });

  it('has all lists of a step, used or not', () => {
    const choice = [{ name: 'yes', when: true, steps: [{ normal: action('x') }] }];
    const [pick] = flowGraph([{ name: 'pick', choice, otherwise: [{ set: {} }] }]);
    expect(pick?.scopes.map(({ kind, title }) => [kind, title])).toEqual([
      ['case', 'case yes'],
      ['case', 'otherwise'],
    ]);
    expect(pick?.scopes[0]?.steps[0]).toMatchObject({ id: '0/choice/0/steps/0', state: '' });
  });
});
