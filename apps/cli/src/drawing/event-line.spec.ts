import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { eventLine } from './event-line.js';

const paint = pc.createColors(false);
const about = { step: 'order', direction: 'normal', attempt: 1 } as const;
const at = '2026-01-01T00:00:00.000Z';

function line(kind: string, actor: string, more: object = about): string {
  return eventLine({ seq: 1, at, kind, actor, message: 'why', ...more }, paint);
}

describe('the line of an event', () => {
  it.each(['pause_requested', 'signal_received'])('names who caused it: %s', (kind) => {
    expect(line(kind, 'ann', {})).toMatch(/why \(by ann\)$/);
  });

  it.each(['skip_requested', 'reset_requested', 'approved', 'rejected', 'succeeded', 'failed'])(
    'names who caused it, although it is of an attempt: %s',
    (kind) => {
      expect(line(kind, 'ann')).toMatch(/order: why \(by ann\)$/);
    },
  );

  it.each([
    ['started', 'lab-1'],
    ['lease_lost', 'lab-1'],
    ['succeeded', 'backstep'],
  ])('does not name processes: %s by %s', (kind, actor) => {
    expect(line(kind, actor)).toMatch(/order: why$/);
  });
});
