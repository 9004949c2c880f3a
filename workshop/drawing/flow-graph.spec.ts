import { describe, expect, it } from '@jest/globals';
import { dotOf } from './dot.js';
import { edgesOf, graphOf, type PublicStep } from './flow-graph.js';
import { mermaidOf } from './mermaid.js';
import { svgOf } from './svg.js';

const action = (command: string) => ({ module: 'm', command });
const leaf = (name: string, needs: string[] = [], undo?: string): PublicStep => {
  return { name, needs, normal: action(name), rollback: undo ? action(undo) : null };
};

const STEPS: readonly PublicStep[] = [
  leaf('a', [], 'undo_a'),
  leaf('b', ['a']),
  leaf('c', ['b'], 'undo_c'),
  {
    name: 'pick',
    needs: ['c'],
    choice: [{ name: 'x', when: true, steps: [leaf('d')] }],
    otherwise: [leaf('e')],
    catch: [{ errors: ['QUOTA'], steps: [leaf('f')] }],
  },
  { name: 'all', needs: ['c'], parallel: { one: [leaf('g')] }, onBranchFailure: 'wait' },
  { name: 'poll', needs: ['c'], loop: { steps: [leaf('h', [], 'undo_h')], max: 5 } },
  { name: 'odd "]<b>', needs: [], wait: { for: 1 }, rollback: null },
];

describe('a drawing of child tasks', () => {
  const steps = [leaf('drain', [], 'fill'), { ...leaf('cut', ['drain']), pivot: true }];
  const foreach = { in: [1], as: 'host', steps };

  it.each([[undefined], [[]]])('has their steps as a cluster, and the pivot marked', (scopes) => {
    const fleet = { name: 'fleet', needs: ['a'], foreach, ...(scopes && { scopes }) };
    const [, each] = graphOf([leaf('a', [], 'undo_a'), fleet]);
    expect(each?.lists.map(({ title }) => title)).toEqual(['each host']);
    expect(each?.lists[0]?.steps.map(({ lines }) => lines)).toEqual([
      ['m.drain'],
      ['m.cut', 'point of no return'],
    ]);
  });

  it('goes back from their step to what came before', () => {
    const graph = graphOf([leaf('a', [], 'undo_a'), { name: 'fleet', needs: ['a'], foreach }]);
    const [a, fleet] = graph;
    expect(edgesOf(graph)).toContainEqual({ from: fleet?.id, to: a?.undo?.id, kind: 'back' });
  });
});

describe('a drawing', () => {
  const graph = graphOf(STEPS);

  it('has the lists of every kind as clusters', () => {
    const titles = graph.flatMap(({ lists }) => lists.map(({ title }) => title));
    expect(titles).toEqual(['case x', 'otherwise', 'catch QUOTA', 'branch one', 'up to 5 rounds']);
  });

  it('goes forward by needs, and back past steps that have nothing to undo', () => {
    const all = [...graph, ...graph.flatMap(({ lists }) => lists.flatMap(({ steps }) => steps))];
    const names = new Map(
      all.flatMap(({ id, name, undo }) => {
        return [[id, name], ...(undo === null ? [] : [[undo.id, `undo ${name}`]])] as [
          string,
          string,
        ][];
      }),
    );
    const shown = edgesOf(graph).map(({ from, kind, to }) => {
      return `${names.get(from)} ${kind} ${names.get(to)}`;
    });
    expect(shown).toEqual([
      'a back undo a',
      'a forward b',
      'b forward c',
      'c back undo c',
      'undo c back undo a',
      'c forward pick',
      'c forward all',
      'c forward poll',
      'poll back undo c',
      'h back undo h',
    ]);
  });

  it('is written for Mermaid', () => {
    const text = mermaidOf(graph);
    expect(text.split('\n').slice(0, 5)).toEqual([
      'flowchart TD',
      '  n1["a<br/>m.a"]',
      '  n2("undo: m.undo_a")',
      '  n3["b<br/>m.b"]',
      '  n4["c<br/>m.c"]',
    ]);
    expect(text).toContain('subgraph n7["case x"]');
    expect(text).toContain('["odd #34;]#60;b#62;<br/>wait"]');
    expect(text.match(/subgraph/g)).toHaveLength(text.match(/^ +end$/gm)?.length ?? 0);
  });

  it('is written for Graphviz', () => {
    const text = dotOf(graph);
    expect(text).toContain('n1 -> n2 [style=dashed];');
    expect(text).toContain('lhead=cluster_n6');
    expect(text).toContain(String.raw`label="odd \"]<b>\nwait"`);
    expect(text.match(/{/g)).toHaveLength(text.match(/}/g)?.length ?? 0);
  });

  it('is a picture, in which no box lies on another one', () => {
    const text = svgOf(graph);
    expect(text).toContain('odd &quot;]&lt;b&gt;');
    const boxes = Array.from(
      text.matchAll(
        /class="(?:step|undo)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g,
      ),
      ([, ...numbers]) => numbers.map(Number),
    );
    expect(boxes.length).toBeGreaterThan(10);
    for (const [i, [x = 0, y = 0, w = 0, h = 0]] of boxes.entries()) {
      for (const [x2 = 0, y2 = 0, w2 = 0, h2 = 0] of boxes.slice(i + 1)) {
        expect(x + w <= x2 || x2 + w2 <= x || y + h <= y2 || y2 + h2 <= y).toBe(true);
      }
    }
  });

  it('of a task has the scopes that were entered, and states', () => {
    const inner = { ...leaf('check'), state: 'succeeded' };
    const scopes = [{ kind: 'round', name: '1', way: 'forward', steps: [inner] }];
    const poll = { name: 'poll', kind: 'loop', needs: [], loop: {}, state: 'running', scopes };
    const undone = { ...action('undo'), state: 'failed' };
    const text = mermaidOf(graphOf([poll, { ...leaf('z'), rollback: undone, state: 'failed' }]));
    expect(text).toContain('["poll<br/>loop<br/>running"]');
    expect(text).toContain('["round 1"]');
    expect(text).toContain('["check<br/>m.check<br/>succeeded"]');
    expect(text).toContain('("undo: m.undo<br/>failed")');
  });
});
