import { describe, expect, it } from '@jest/globals';
import { ALERT_FLOW, ALERT_RUN } from '#core';
import { summaryOf } from '#core/stored';
import { sampleTask } from '#testing';
import { readTaskSearch, type TaskSearch } from '../requests/task-search.js';
import { fitsInterest } from './task-match.js';

describe('a filter of changes and notifications', () => {
  const parent = { taskId: 'p', run: ALERT_RUN, index: 1, isPart: false, depth: 1 };
  const alert = summaryOf(sampleTask({ flow: ALERT_FLOW, parent, labels: { team: 'db' } }));
  const named = readTaskSearch('flow:backstep-alert') as TaskSearch;

  it('leaves alert tasks out unless they are asked for by name', () => {
    expect(fitsInterest(alert, { filter: {} }, 0)).toBe(false);
    expect(fitsInterest(alert, { filter: { labels: { team: 'db' } } }, 0)).toBe(false);
    expect(fitsInterest(alert, { filter: { flow: ALERT_FLOW } }, 0)).toBe(true);
    expect(fitsInterest(alert, { filter: { parent: 'p' } }, 0)).toBe(true);
    expect(fitsInterest(alert, { filter: {}, search: named }, 0)).toBe(true);
  });

  it('knows the origin of tasks, and labels that have a meaning', () => {
    const origin = { requestId: 'r-1', operator: 'ann' };
    const task = summaryOf(sampleTask({ origin, labels: { entity: 'vm-4' } }));
    const fits = (q: string): boolean => {
      return fitsInterest(task, { filter: {}, search: readTaskSearch(q) as TaskSearch }, 0);
    };
    expect(fits('operator:ann requestId:r-1 entity:vm-4')).toBe(true);
    const others = ['operator:bo', 'client:10.0.0.7', 'batch:n', 'label.operator:ann'];
    expect(others.filter(fits)).toEqual([]);
  });

  it('has tasks that cannot be read where nothing restricts it', () => {
    const unreadable = { taskId: 't', reason: 'no' };
    expect(fitsInterest(unreadable, { filter: {} }, 0)).toBe(true);
    expect(fitsInterest(unreadable, { filter: { flow: 'f' } }, 0)).toBe(false);
  });
});
