import { describe, expect, it } from '@jest/globals';
import { flowGraph, taskGraph } from '#kinds';
import { dotOf } from './dot.js';
import { drawnSteps, edgesOf } from './flow-graph.js';
import { mermaidOf } from './mermaid.js';
import { svgOf } from './svg.js';

const action = (command: string) => ({ module: 'm', command });
const leaf = (name: string, needs: string[] = [], undo?: string) => {
  return { name, needs, normal: action(name), rollback: undo ? action(undo) : null };
};

/** A written step as a task shows it. */
const ran = (step: object, state = 'succeeded') => ({
  ...{ id: 'a', name: 'a', kind: 'normal', needs: [], state, generation: 1, attempts: 1 },
  ...{ timeStart: 1, timeEnd: 2 },
  ...(step as { rollback?: never }),
});

const STEPS = [
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

  const fleet = { name: 'fleet', needs: ['a'], foreach };
  const written = [leaf('a', [], 'undo_a'), fleet];

  it('has their steps as a cluster, and the pivot marked', () => {
    const [, each] = drawnSteps(flowGraph(written));
    expect(each?.lists.map(({ title }) => title)).toEqual(['each host']);
    expect(each?.lists[0]?.steps.map(({ lines }) => lines)).toEqual([
      ['m.drain'],
      ['m.cut', 'point of no return'],
    ]);
  });

  it('goes back from their step to what came before', () => {
    const graph = drawnSteps(flowGraph(written));
    const [a, each] = graph;
    expect(edgesOf(graph)).toContainEqual({ from: each?.id, to: a?.undo?.id, kind: 'back' });
  });
});

describe('a drawing', () => {
  const graph = drawnSteps(flowGraph(STEPS));

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
      'a forward b',
      'b forward c',
      'c forward pick',
      'c forward all',
      'c forward poll',
      'a back undo a',
      'c back undo c',
      'undo c back undo a',
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
    const text = mermaidOf(drawnSteps(taskGraph(TASK)));
    expect(text).toContain('["poll<br/>loop<br/>failed"]');
    expect(text).toContain('["round 1"]');
    expect(text).toContain('["check<br/>m.check<br/>succeeded"]');
    expect(text).toContain('("undo: m.undo<br/>failed")');
  });
});

const check = ran({ ...leaf('check'), id: 'poll#1/check' });
const round = { kind: 'round', name: '1', way: 'forward' as const, steps: [check] };
const undone = { ...action('undo'), state: 'succeeded' };
const stuck = { ...action('undo'), state: 'failed' };
const TASK = [
  ran({ ...leaf('a'), rollback: undone }),
  ran({ name: 'poll', kind: 'loop', needs: ['a'], id: 'poll', scopes: [round] }, 'failed'),
  ran({ ...leaf('y', ['poll']), id: 'y', rollback: stuck }, 'running'),
  ran({ ...leaf('z', ['poll']), id: 'z' }, 'pending'),
  ran({ ...leaf('q', ['a']), id: 'q' }, 'queued'),
  ran({ ...leaf('w', ['a']), id: 'w' }, 'waiting'),
];

describe('the colours of a drawing', () => {
  const drawn = drawnSteps(taskGraph(TASK));
  const WORDS = ['succeeded', 'failed', 'running', 'queued', 'waiting', 'not run', 'undone'];

  it('say in DOT how each step and undo stands, with a legend', () => {
    const text = dotOf(drawn);
    expect(text).toContain('[label="a\\nm.a\\nsucceeded", style="filled", fillcolor="#e0f4e5"');
    expect(text).toContain('[label="undo: m.undo\\nsucceeded", style="rounded,filled", fillcolor');
    expect(text.match(/-> n\d+ \[color="#a0aec0"/g)).toHaveLength(1);
    const legend = text.slice(text.indexOf('cluster_legend'));
    for (const word of WORDS) expect(legend).toContain(`[label="${word}", style="filled"`);
  });

  it('say the same in SVG', () => {
    const text = svgOf(drawn);
    for (const tone of [
      'step good',
      'cluster bad',
      'step running',
      'step queued',
      'step waiting',
      'step ahead',
      'undo undone',
    ]) {
      expect(text).toContain(`<rect class="${tone}"`);
    }
    expect(text.match(/<line class="ahead"/g)).toHaveLength(1);
    for (const word of WORDS) expect(text).toMatch(new RegExp(`class="legend \\w+".*>${word}<`));
  });

  it('have a legend of the states that there are, and none in a flow', () => {
    const few = dotOf(drawnSteps(taskGraph([ran(leaf('a'))])));
    expect(few.match(/legend_\w+/g)).toEqual(['legend_good']);
    const flow = drawnSteps(flowGraph(STEPS));
    for (const text of [dotOf(flow), svgOf(flow)]) expect(text).not.toMatch(/legend|class="ahead"/);
  });
});
