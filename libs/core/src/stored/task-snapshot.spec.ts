import { Journal } from '../task/journal.js';
import { describe, expect, it } from '@jest/globals';
import { sampleTask } from '#testing';
import type { Task } from '../task/task.js';
import { snapshotOf, taskOfSnapshot } from './task-snapshot.js';

const at = (task: Task, more: object): Task => ({
  ...task,
  runs: task.runs.with(0, { ...task.runs[0]!, normal: { ...task.runs[0]!.normal, ...more } }),
});

describe('the snapshot of a task', () => {
  it('is the whole document, with the name of its steps in their place', () => {
    const task = sampleTask();
    const text = snapshotOf(task, 'these steps')!;
    expect(text).toContain('these steps');
    expect(text).not.toContain('"command"');
    const names: string[] = [];
    const told = taskOfSnapshot(text, (name) => {
      names.push(name);
      return task.plan.steps;
    });
    expect(told).toEqual({ ...task, index: null });
    expect(names).toEqual(['these steps']);
  });

  it('has the generation of each run', () => {
    const first = sampleTask();
    const task = { ...first, runs: first.runs.with(0, { ...first.runs[0]!, generation: 3 }) };
    expect(taskOfSnapshot(snapshotOf(task, 's')!, () => task.plan.steps)?.runs).toEqual(task.runs);
  });

  it('tells of a deadline that never comes', () => {
    const task = at(sampleTask(), { deadline: Infinity });
    expect(taskOfSnapshot(snapshotOf(task, 's')!, () => task.plan.steps)).toEqual(task);
  });

  it('is another one wherever the document is', () => {
    const task = sampleTask();
    const { normal } = task.runs[0]!;
    const others: Task[] = [
      { ...task, revision: 2 },
      { ...task, token: 1 },
      { ...task, journal: Journal.of([]), journalSeq: 0 },
      { ...task, plan: { ...task.plan, parameters: { size: 4 } } },
      { ...task, runs: task.runs.with(1, { ...task.runs[1]!, generation: 2 }) },
      at(task, { attempts: 1 }),
      at(task, { orderAt: normal.orderAt! + 1 }),
    ];
    const texts = [task, ...others].map((each) => snapshotOf(each, 's'));
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts).not.toContain(null);
  });

  it('is none where somebody else may move the task, or nothing is asked for', () => {
    const task = sampleTask();
    const [first, second] = task.runs;
    const both = [first!, { ...second!, normal: first!.normal }];
    expect(snapshotOf({ ...task, runs: both }, 's')).toBeNull();
    const lease = { owner: 'o', token: 1 };
    expect(snapshotOf(at(task, { state: 'running', lease }), 's')).toBeNull();
    expect(snapshotOf(at(task, { state: 'succeeded' }), 's')).toBeNull();
  });

  it('is none of a large task', () => {
    const task = sampleTask({ parameters: { text: 'x'.repeat(9_000) } });
    expect(snapshotOf(task, 's')).toBeNull();
  });
});

describe('what anybody may have written', () => {
  const { plan, runs, ...state } = sampleTask();
  const forged = { ...state, plan: { ...plan, steps: 's' }, runs: [[0, null]] };
  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no plan', '{"runs":[]}'],
    ['steps that are no name', JSON.stringify({ ...forged, plan })],
    ['too few runs', JSON.stringify(forged)],
    ['runs that are no objects', JSON.stringify({ ...forged, runs: [[7, null], 'x'] })],
    ['more than a snapshot may be', ' '.repeat(17_000)],
  ])('is no task: %s', (_what, text) => {
    expect(taskOfSnapshot(text, () => plan.steps)).toBeNull();
  });

  it('is no task where its steps are not known here', () => {
    const text = snapshotOf({ ...state, plan, runs }, 's')!;
    expect(taskOfSnapshot(text, () => undefined)).toBeNull();
  });
});
