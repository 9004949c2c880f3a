import { describe, expect, it } from '@jest/globals';
import type { DrilledTask } from './gateway.js';
import { judgeDrill, type Left } from './drill.js';

const TASK = 'task-1';

interface Scene {
  readonly status: string;
  readonly steps?: readonly object[];
  readonly left?: readonly Partial<Left>[];
  readonly unrest?: string;
  readonly child?: string;
  readonly childSteps?: readonly object[];
  readonly held?: string;
}

function judged(scene: Scene): string {
  const { child, childSteps = [], held, left = [], status, steps = [], unrest } = scene;
  const task = { taskId: TASK, status, taskMessage: 'a reason', steps } as unknown as DrilledTask;
  const statuses = new Map([[TASK, status], ...(child ? ([['child', child]] as const) : [])]);
  const all = left.map((one): Left => ({ taskId: TASK, module: 'm', what: 'a box', ...one }));
  const other = { taskId: 'child', status: held, taskMessage: 'of a child', steps: childSteps };
  const { result, why } = judgeDrill({
    task,
    statuses,
    tasks: [task, other] as unknown as DrilledTask[],
    held: held === undefined ? null : (other as unknown as DrilledTask),
    left: all,
    unrest: unrest ?? null,
  });
  return `${result}: ${why}`;
}

const step = (state: string, undo: string) => {
  return { id: 'a', name: 'a', state, rollback: { state: undo } };
};

describe('what a drill says of a task', () => {
  it.each<[string, Scene]>([
    ['clean: a reason', { status: 'rolled_back' }],
    ['residue: m holds a box', { status: 'rolled_back', left: [{}] }],
    ['residue: m holds a box of a', { status: 'terminated', left: [{ run: 'a' }] }],
    ['stuck: a reason', { status: 'rollback_failed', left: [{}] }],
    ['held: a reason', { status: 'on_hold', left: [{}] }],
    ['held: a reason', { status: 'on_hold', unrest: 'it moves' }],
    ['stuck: it moves', { status: 'running', unrest: 'it moves' }],
    ['stuck: of a child', { status: 'running', held: 'rollback_failed' }],
    ['held: of a child', { status: 'running', held: 'on_hold' }],
  ])('%s', (verdict, scene) => {
    expect(judged(scene)).toBe(verdict);
  });

  it.each<[string, Scene]>([
    ['what a step made that succeeded', { status: 'x', steps: [step('succeeded', 'none')] }],
    ['what nobody knows the maker of', { status: 'x', left: [{}] }],
  ])('wants of a task that succeeded %s', (_name, scene) => {
    const { left = [{ run: 'a' }] } = scene;
    expect(judged({ ...scene, status: 'succeeded', left })).toBe('clean: a reason');
  });

  it.each<[string, Scene]>([
    ['of a step that failed', { status: 'x', steps: [step('failed', 'succeeded')] }],
    ['of a step that was undone', { status: 'x', steps: [step('succeeded', 'succeeded')] }],
    ['of a child task that failed', { status: 'x', child: 'rolled_back' }],
    [
      'of a step of a child task that failed and was caught',
      { status: 'x', child: 'succeeded', childSteps: [step('failed', 'succeeded')] },
    ],
  ])('finds in a task that succeeded what is left %s', (_name, scene) => {
    const taskId = scene.child === undefined ? TASK : 'child';
    const left = [{ run: 'a', taskId }];
    expect(judged({ ...scene, status: 'succeeded', left })).toBe('residue: m holds a box of a');
  });
});
