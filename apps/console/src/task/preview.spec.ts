import { describe, expect, it } from '@jest/globals';
import type { Course, PlannedStart, PlannedUndo, Task } from '../api/shapes.js';
import { type Preview, previewOf, previewQuery, restartPreview } from './preview.js';
import { ran, step, task } from './task-spec.js';

const TASK = task('running', [ran('a', 1), step('b', { state: 'running', timeStart: 3 })]);
const { taskId } = TASK;

const NOTHING: Course = {
  revision: 1,
  status: { before: 'running', after: 'running' },
  calledOff: [],
  starts: [],
  undoes: [],
  leftOver: [],
  obstacle: null,
  isCut: false,
  estimate: null,
};

const place = (id: string, of = taskId) => ({ taskId: of, step: id, id });

const undo = (id: string, of = taskId, served = true): PlannedUndo => {
  return { ...place(id, of), module: 'm', command: `undo_${id}`, served };
};

const BACK: Course = {
  ...NOTHING,
  status: { before: 'running', after: 'rolling_back' },
  undoes: [undo('put', 'child'), undo('a')],
  leftOver: [place('note', 'child')],
};

type Verb = Parameters<typeof previewOf>[0]['verb'];

interface Asked {
  readonly of?: Task;
  readonly step?: string;
  readonly children?: 'failed' | 'all' | null;
}

function preview(verb: Verb, course: Course, asked: Asked = {}): Preview {
  const { children = null, of = TASK, step: name = '' } = asked;
  return previewOf({ verb, task: of, step: name, children }, course);
}

describe('a preview', () => {
  it('lists what is undone in the order of the server, child tasks included', () => {
    const { order, sentences } = preview('undo', BACK);
    expect(order).toEqual(['put of task child: m.undo_put', 'a: m.undo_a']);
    expect(sentences).toContain('These have no undo: note of task child.');
    expect(sentences).toContain('The task will be: Rolling back.');
  });

  it('lists what starts on the way forward, and each undo once', () => {
    const starts: readonly PlannedStart[] = [
      { ...place('b'), direction: 'normal', module: 'm', command: 'b' },
      { ...place('g'), direction: 'normal', module: null, command: null },
      { ...place('a'), direction: 'rollback', module: 'm', command: 'undo_a' },
    ];
    const { order } = preview('retry', { ...NOTHING, starts, undoes: [undo('a')] });
    expect(order).toEqual(['step b starts: m.b', 'step g starts', 'a: m.undo_a']);
  });

  it('says what is called off, what nobody serves, and what is not listed', () => {
    const undoes = [undo('a', taskId, false), undo('a', 'child', false)];
    const more = { calledOff: [place('b')], undoes, isCut: true, obstacle: 'child x is paused' };
    const { sentences } = preview('rollback', { ...BACK, ...more });
    expect(sentences).toEqual(
      expect.arrayContaining([
        'Running, to be called off: b.',
        'No executor serves m.undo_a.',
        'There is more than is listed.',
        'Not all of it: child x is paused.',
      ]),
    );
  });

  it('says that nothing has to be undone only where an action would undo, and that is so', () => {
    const none = 'Nothing has to be undone.';
    for (const verb of ['rollback', 'undo', 'reset'] as const) {
      expect(preview(verb, NOTHING).sentences).toContain(none);
    }
    expect(preview('resume', NOTHING).sentences).not.toContain(none);
    for (const more of [BACK, { isCut: true }, { obstacle: 'no' }]) {
      expect(preview('rollback', { ...NOTHING, ...more }).sentences).not.toContain(none);
    }
  });

  it('says what stays as a point of no return, where a step behind it was picked', () => {
    const steps = [ran('p', 1, { pivot: true }), ran('b', 2, { needs: ['p'] })];
    const { sentences } = preview('rollback', BACK, { of: task('on_hold', steps), step: 'b' });
    expect(sentences).toContain('p stays: it is a point of no return.');
    expect(sentences).toContain('Then the task is on hold; b and what needs it can be retried.');
  });

  it('says what a terminated task leaves behind', () => {
    const course = { ...NOTHING, leftOver: [place('b'), place('a')] };
    const { sentences } = preview('terminate', course);
    expect(sentences).toContain('Nothing is undone. These stay: b, a.');
  });

  it('says of a paused task that the undos follow later, unless it is resumed', () => {
    const later = 'The task is paused: these follow once it is resumed.';
    const status = { before: 'paused', after: 'paused' } as const;
    expect(preview('rollback', { ...BACK, status }).sentences).toContain(later);
    const ended = { ...status, after: 'rolling_back' } as const;
    expect(preview('resume', { ...BACK, status: ended }).sentences).not.toContain(later);
  });

  it('says what ends before a task rests', () => {
    expect(preview('pause', NOTHING).sentences).toContain('These end first: b.');
  });

  it('of a reset that keeps child tasks names the step beside those that run anew', () => {
    const steps = [ran('each', 1), step('then', { needs: ['each'] })];
    const asked = { of: task('succeeded', steps), step: 'each' } as const;
    const kept = preview('reset', BACK, { ...asked, children: 'failed' }).sentences;
    expect(kept[0]).toBe('then: new runs begin.');
    expect(kept[1]).toBe('each: its failed child tasks run again. The others stay as they are.');
    const [first] = preview('reset', BACK, { ...asked, children: 'all' }).sentences;
    expect(first).toBe('each, then: new runs begin.');
  });

  it('says how long it takes where that is known alone', () => {
    const message = 'Rolling back takes about 3 s.';
    const known = { ...BACK, estimate: { message, p50: 3 } };
    expect(preview('rollback', known).time).toBe(message);
    const unknown = { ...BACK, estimate: { message, p50: null } };
    expect(preview('rollback', unknown).time).toBeNull();
  });

  it('of a restart tells of another task', () => {
    expect(restartPreview(TASK).sentences).toEqual([
      'A new task of f begins with the same parameters.',
    ]);
  });
});

describe('the question for a preview', () => {
  it('names the step as the action does, where one was picked', () => {
    const stepMember = { name: 'to', isOptional: () => true } as const;
    const asked = (name: string) =>
      previewQuery({ verb: 'rollback', stepMember }, { step: name, children: null }).toString();
    expect(asked('')).toBe('action=rollback');
    expect(asked('b#1/c')).toBe('action=rollback&to=b%231%2Fc');
    const form = { step: 'b', children: null } as const;
    expect(previewQuery({ verb: 'pause' }, form).toString()).toBe('action=pause');
    const retry = previewQuery({ verb: 'retry' }, { step: '', children: 'all' });
    expect(retry.toString()).toBe('action=retry&children=all');
  });
});
