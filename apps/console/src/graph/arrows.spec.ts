import { describe, expect, it } from '@jest/globals';
import { ran, step } from '../task/task-spec.js';
import { arrowsOf, type DrawnArrow } from './arrows.js';
import { type Direction, layout } from './graph-layout.js';
import { taskGraph } from './graph-model.js';

const undone = { ...(ran('a', 1).rollback as object), state: 'running' };
const STEPS = [
  ran('a', 1, { rollback: undone as never }),
  ran('b', 2, { needs: ['a'] }),
  step('c', { needs: ['b'] }),
];

function drawn(isBack: boolean, direction: Direction = 'LR'): readonly DrawnArrow[] {
  const graph = taskGraph(STEPS, isBack);
  return arrowsOf(layout(graph.steps, { direction, open: new Set() }), graph, direction);
}

/** Where a line begins and ends. */
function endsOf({ line }: DrawnArrow): readonly (readonly number[])[] {
  const points = line.split(/[MC ]+/).filter(Boolean);
  return [points[0] ?? '', points.at(-1) ?? ''].map((point) => point.split(',').map(Number));
}

describe('an arrow', () => {
  it('tells whether the task went along it, and comes back where an undo does', () => {
    expect(drawn(false).map(({ look }) => look)).toEqual(['ran', 'ahead']);
    const back = drawn(true).map(({ id, isMoving, look }) => [id, look, isMoving]);
    expect(back).toEqual([
      ['a>b', 'ran', false],
      ['b>a back', 'back', true],
      ['b>c', 'ahead', false],
    ]);
  });

  it.each([
    ['LR', 0],
    ['TB', 1],
  ] as const)('goes from the end of a box to the next, and back beside that: %s', (way, along) => {
    const [forward, back] = drawn(true, way).map(endsOf);
    const [[start, end] = [], [from, to] = []] = [forward, back];
    expect(start?.[along]).toBeLessThan(end?.[along] ?? 0);
    expect([from?.[along], to?.[along]]).toEqual([end?.[along], start?.[along]]);
    expect(from?.[1 - along]).toBeGreaterThan(end?.[1 - along] ?? Infinity);
  });
});
