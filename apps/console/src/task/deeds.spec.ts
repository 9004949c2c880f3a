import { describe, expect, it } from '@jest/globals';
import type { TaskEvent } from '../api/shapes.js';
import { deedsOf } from './deeds.js';

const AT = '2026-01-31T10:00:00.000Z';
const event = (seq: number, kind: string, actor: string): TaskEvent => ({
  seq,
  at: AT,
  kind,
  actor,
});

describe('what people did', () => {
  it('leaves out what happened by itself, and all that executors did', () => {
    const events = [
      event(1, 'created', 'api'),
      event(2, 'started', 'lab-1'),
      event(3, 'succeeded', 'lab-1'),
      event(4, 'turned_back', 'backstep'),
      event(5, 'skip_requested', 'ann'),
    ];
    expect(deedsOf(events).map(({ actor, kind }) => [actor, kind])).toEqual([
      ['api', 'created'],
      ['ann', 'skip_requested'],
    ]);
    expect(deedsOf([])).toEqual([]);
  });
});
