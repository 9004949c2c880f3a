import { describe, expect, it } from '@jest/globals';
import type { AdmissionRecord, AdmittedAction, ModuleLimit, WaitingAction } from '#ports';
import {
  type AdmissionDecision,
  type AdmissionFacts,
  type Asked,
  decideAdmission,
  emptyAdmission,
  mostOf,
} from './admission.js';

const NOW = 1_800_000_000_000;

function limit(more: Partial<ModuleLimit> = {}): ModuleLimit {
  const limits = { maxConcurrency: null, ratePerSecond: null, fairBy: null };
  const stamp = { generation: 1, fairSince: 0, updatedAt: NOW, updatedBy: 'ann' };
  return { module: 'm', ...limits, ...stamp, ...more };
}

function asked(taskId: string, more: Partial<Asked> = {}): Asked {
  return { taskId, direction: 'normal', step: 0, revision: 1, orderAt: NOW, ...more };
}

function waiting(taskId: string, direction: 'normal' | 'rollback' = 'normal'): WaitingAction {
  return { taskId, direction, step: 0, module: 'm', group: '', turn: 1 };
}

function admitted(taskId: string, more: Partial<AdmittedAction> = {}): AdmittedAction {
  return { taskId, direction: 'normal', step: 0, revision: 1, by: 'me', at: NOW, ...more };
}

function holding(...actions: readonly AdmittedAction[]): AdmissionRecord {
  return { ...emptyAdmission('m'), revision: 1, actions };
}

function decide(before: AdmissionRecord, facts: Partial<AdmissionFacts>): AdmissionDecision {
  const nobody = { normal: [], rollback: [] };
  const nothing = { asked: [], ended: [], waiting: nobody, mayCall: true, now: NOW, self: 'me' };
  return decideAdmission(before, { limit: limit({ maxConcurrency: 2 }), ...nothing, ...facts });
}

describe('A limit at a time', () => {
  it('keeps its last tenth for rollbacks, at least one unless there is but one', () => {
    const most = [1, 2, 9, 10, 25, 100].map((maxConcurrency) => {
      return mostOf(limit({ maxConcurrency }), 'normal');
    });
    expect(most).toEqual([1, 1, 8, 9, 23, 90]);
    expect(mostOf(limit({ maxConcurrency: 10 }), 'rollback')).toBe(10);
  });

  it('admits a rollback where a normal action has no room', () => {
    const before = holding(admitted('t1'));
    const normal = decide(before, { asked: [asked('t2')] });
    expect(normal.answers).toEqual(['full']);
    expect(normal.next).toBe(before);
    const rollback = decide(before, { asked: [asked('t2', { direction: 'rollback' })] });
    expect(rollback.answers).toEqual(['admitted']);
  });

  it('admits the first by order time of those that ask at once', () => {
    const two = [asked('t1', { orderAt: NOW }), asked('t2', { orderAt: NOW - 1 })];
    expect(decide(holding(), { asked: two }).answers).toEqual(['full', 'admitted']);
  });

  it('lets nobody pass those that wait in line', () => {
    const line = { normal: [waiting('t1')], rollback: [] };
    const decision = decide(holding(), { asked: [asked('t2')], waiting: line });
    expect(decision.answers).toEqual(['full']);
    expect(decision.called).toEqual([waiting('t1')]);
    expect(decision.next.actions).toEqual([admitted('t1', { by: null, revision: 0 })]);
  });

  it('calls rollbacks first, as many as there is room for', () => {
    const line = { normal: [waiting('t1'), waiting('t2')], rollback: [waiting('t3', 'rollback')] };
    const three = decide(holding(), { limit: limit({ maxConcurrency: 3 }), waiting: line });
    expect(three.called.map(({ taskId }) => taskId)).toEqual(['t3', 't1']);
  });

  it('admits who was called, by whatever process it comes', () => {
    const before = holding(admitted('t1', { by: null, revision: 0 }));
    const { answers, next } = decide(before, { asked: [asked('t1', { revision: 7 })] });
    expect(answers).toEqual(['admitted']);
    expect(next.actions).toEqual([admitted('t1', { revision: 7 })]);
  });

  it('gives one revision of an action to one process, and a later one to the next', () => {
    const before = holding(admitted('t1', { by: 'other' }));
    expect(decide(before, { asked: [asked('t1')] }).answers).toEqual(['held']);
    const later = decide(before, { asked: [asked('t1', { revision: 2 })] });
    expect(later.answers).toEqual(['admitted']);
    expect(later.next.actions).toEqual([admitted('t1', { revision: 2 })]);
  });

  it('has those wait that were admitted, while more run than a new limit allows', () => {
    const called = admitted('t1', { by: null, revision: 0 });
    const counted = ['t2', 't3'].map((taskId) => admitted(taskId, { by: '' }));
    const { answers, next } = decide(holding(called, ...counted), { asked: [asked('t1')] });
    expect([answers, next.actions]).toEqual([['full'], counted]);
    const again = decide(next, { asked: [asked('t2', { revision: 2 })] });
    expect([again.answers, again.next.actions]).toEqual([['full'], [counted[1]]]);
    const last = decide(again.next, { asked: [asked('t3', { revision: 2 })] });
    expect(last.answers).toEqual(['admitted']);
  });

  it('keeps an action that was admitted on a later revision than the end that is told', () => {
    const before = holding(admitted('t1', { revision: 5 }));
    const end = { taskId: 't1', direction: 'normal', step: 0 } as const;
    expect(decide(before, { ended: [{ ...end, below: 5 }] }).next).toBe(before);
    expect(decide(before, { ended: [{ ...end, below: 6 }] }).next.actions).toEqual([]);
    const given = { ...end, by: 'me', revision: 4 };
    expect(decide(before, { ended: [given] }).next).toBe(before);
    expect(decide(before, { ended: [{ ...given, revision: 5 }] }).next.actions).toEqual([]);
  });

  it('takes back a call that nobody answers', () => {
    const called = admitted('t1', { by: null, revision: 0, at: NOW - 10_001 });
    const { missed, next } = decide(holding(called), {});
    expect([missed, next.actions]).toEqual([[called], []]);
  });
});

describe('A rate', () => {
  const rate = limit({ ratePerSecond: 2 });

  it('is spent by each action that starts, one in its part of a second', () => {
    const first = decide(holding(), { limit: rate, asked: [asked('t1'), asked('t2')] });
    expect(first.answers).toEqual(['admitted', 'full']);
    expect(first.next.actions).toEqual([]);
    const facts = { limit: rate, asked: [asked('t2')] };
    expect(decide(first.next, { ...facts, now: NOW + 499 }).answers).toEqual(['full']);
    expect(decide(first.next, { ...facts, now: NOW + 500 }).answers).toEqual(['admitted']);
  });

  it('has one who was called shortly before its moment wait in hand', () => {
    const { next } = decide(holding(), { limit: rate, asked: [asked('t1')] });
    const line = { normal: [waiting('t2'), waiting('t3')], rollback: [] };
    expect(decide(next, { limit: rate, waiting: line, now: NOW + 400 }).called).toEqual([]);
    const soon = decide(next, { limit: rate, waiting: line, now: NOW + 460 });
    expect(soon.called).toEqual([waiting('t2')]);
    const facts = { limit: rate, asked: [asked('t2')], now: NOW + 470 };
    expect(decide(soon.next, facts).answers).toEqual([30]);
  });

  it('is that of before once a clock that was ahead is right again', () => {
    const ahead = { limit: rate, asked: [asked('t1')], now: NOW + 3_600_000 };
    const line = { normal: [waiting('t2')], rollback: [] };
    let known = decide(holding(), ahead).next;
    const calls: number[] = [];
    for (let ms = 0; ms < 2_000; ms += 250) {
      const { called, next } = decide(known, { limit: rate, waiting: line, now: NOW + ms });
      if (called.length > 0) calls.push(ms);
      known = next;
    }
    expect(calls[0]).toBe(500);
  });

  it('does not save up for a burst', () => {
    let known = holding();
    let started = 0;
    for (let ms = 0; ms < 1_000; ms += 10) {
      const now = NOW + 60_000 + ms;
      const facts = { limit: limit({ ratePerSecond: 50 }), asked: [asked('t1')], now };
      const { answers, next } = decide(known, facts);
      if (answers[0] === 'admitted') started += 1;
      known = next;
    }
    expect(started).toBeLessThanOrEqual(54);
    expect(started).toBeGreaterThanOrEqual(50);
  });
});
