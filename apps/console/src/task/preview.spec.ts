import { describe, expect, it } from '@jest/globals';
import type { Step } from '../api/shapes.js';
import { previewOf } from './preview.js';
import { ran, step, task } from './task-spec.js';

const inner = ran('inner', 2, { id: 'g#1/inner' });
const {
  normal: _,
  rollback: __,
  ...group
} = step('g', {
  kind: 'group',
  state: 'running',
  timeStart: 2,
  needs: ['a'],
  scopes: [{ kind: 'try', name: '1', way: 'forward', steps: [inner] }],
});
const STEPS: readonly Step[] = [
  ran('a', 1),
  group,
  step('b', { state: 'running', timeStart: 3, needs: ['g'] }),
  ran('other', 1, { rollback: null }),
];

describe('a preview', () => {
  it('lists every undo, what began last first', () => {
    const { order, sentences } = previewOf('rollback', task('running', STEPS), '');
    expect(order).toEqual(['b: m.undo_b', 'g#1/inner: m.undo_inner', 'a: m.undo_a']);
    expect(sentences).toContain('Running, to be called off: b.');
    expect(sentences).toContain('These have no undo: other.');
  });

  it('lists the undo of a step whose catch has run', () => {
    const scope = { kind: 'catch', name: '*', way: 'forward', steps: [ran('mend', 2)] } as const;
    const steps = [ran('a', 1, { scopes: [scope] })];
    const { order } = previewOf('undo', task('succeeded', steps), '');
    expect(order).toEqual(['mend: m.undo_mend', 'a: m.undo_a']);
  });

  it('stops at the step that was picked, and what needs it', () => {
    const { order } = previewOf('rollback', task('running', STEPS), 'g');
    expect(order).toEqual(['b: m.undo_b', 'g#1/inner: m.undo_inner']);
  });

  it('says what stays as a point of no return, and lists what is undone behind it', () => {
    const steps = [ran('p', 1, { pivot: true }), ran('b', 2, { needs: ['p'] })];
    const { order, sentences } = previewOf('rollback', task('on_hold', steps), 'b');
    expect(order).toEqual(['b: m.undo_b']);
    expect(sentences).toContain('p stays: it is a point of no return.');
  });

  it('says what a terminated task leaves behind', () => {
    const { order, sentences } = previewOf('terminate', task('running', STEPS), '');
    expect(order).toEqual([]);
    expect(sentences).toContain('Nothing is undone. These stay: b, g#1/inner, a.');
  });

  it('leaves out what is undone already', () => {
    const done = { ...(STEPS[0]?.rollback as object), state: 'succeeded' };
    const steps = [ran('a', 1, { rollback: done as never }), ran('b', 2)];
    expect(previewOf('undo', task('succeeded', steps), '').order).toEqual(['b: m.undo_b']);
  });

  it('names what is tried again', () => {
    const steps = [step('a', { state: 'failed', timeStart: 1 })];
    const { order } = previewOf('retry', task('on_hold', steps), '');
    expect(order).toEqual(['step a starts with a fresh budget']);
  });
});

describe('a preview of a task with child tasks', () => {
  it('says whose child tasks are undone, where nothing else is', () => {
    const children = { total: 2, started: 2, succeeded: 2, failed: 0, active: 0 };
    const { normal: _normal, rollback: _rollback, ...fleet } = ran('fleet', 1, { children });
    const { sentences } = previewOf('reset', task('succeeded', [fleet]), 'fleet');
    expect(sentences).toContain('Child tasks are undone too, of these: fleet.');
    expect(sentences).not.toContain('Nothing has to be undone.');
  });
});
