import { describe, expect, it } from '@jest/globals';
import type { RollbackPlan } from '../api/plan-shapes.js';
import { plannedPreview } from './planned-preview.js';
import { ran, step, task } from './task-spec.js';

const TASK = task('running', [ran('a', 1), step('b', { state: 'running', timeStart: 3 })]);
const { taskId } = TASK;

const item = (id: string, of = taskId, served = true): RollbackPlan['items'][number] => {
  return { taskId: of, step: id, id, module: 'm', command: `undo_${id}`, served };
};

const PLAN: RollbackPlan = {
  items: [item('put', 'child'), item('a')],
  pivot: null,
  leftOver: [{ taskId: 'child', step: 'note', id: 'note' }],
  obstacle: null,
  to: null,
  isCut: false,
  estimate: null,
};

const NOTHING: RollbackPlan = { ...PLAN, items: [], leftOver: [] };

function sentencesOf(plan: RollbackPlan, step = ''): readonly string[] {
  return plannedPreview('rollback', TASK, { plan, step })?.sentences ?? [];
}

describe('the preview of a planned rollback', () => {
  it('lists what child tasks undo, and what they leave', () => {
    const preview = plannedPreview('undo', TASK, { plan: PLAN, step: '' });
    expect(preview?.order).toEqual(['put of task child: m.undo_put', 'a: m.undo_a']);
    expect(preview?.sentences).toContain('These have no undo: note of task child.');
  });

  it('says that nothing has to be undone only where that is so', () => {
    const none = 'Nothing has to be undone.';
    expect(sentencesOf(NOTHING)).toContain(none);
    for (const more of [PLAN, { ...NOTHING, isCut: true }, { ...NOTHING, obstacle: 'no' }]) {
      expect(sentencesOf({ ...NOTHING, ...more })).not.toContain(none);
    }
  });

  it('says why it stops, what is not listed, and what nobody serves', () => {
    const items = [item('a', taskId, false), item('a', 'child', false)];
    const sentences = sentencesOf({ ...PLAN, items, isCut: true, obstacle: 'child x is paused' });
    expect(sentences).toContain('No executor is there that has m.undo_a.');
    expect(sentences).toContain('There is more to undo than is listed.');
    expect(sentences).toContain('Not all of it: child x is paused.');
  });

  it('is of the step behind the point of no return alone, where there is one', () => {
    const plan: RollbackPlan = { ...PLAN, pivot: 'p', to: 'b', obstacle: 'no' };
    expect(plannedPreview('rollback', TASK, { plan, step: 'a' })).toBeNull();
    const sentences = sentencesOf(plan, 'b');
    expect(sentences).toContain('p stays: it is a point of no return.');
    expect(sentences).toContain('Then the task is on hold; b can be retried.');
  });
});
