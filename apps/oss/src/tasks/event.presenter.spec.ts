import { describe, expect, it } from '@jest/globals';
import { Journal, type JournalEntry } from '#core';
import { ROLES } from '#ports';
import { presentEvents, seesStacks } from './event.presenter.js';

const journal = Journal.of(
  [1, 2, 6, 7, 9].map((seq): JournalEntry => ({ seq, at: 0, kind: 'failed' })),
);

function shown(after: number): (string | number)[] {
  return presentEvents(journal, after).map(({ kind, message, seq }) => {
    return kind === 'left_out' ? `${seq}: ${message}` : seq;
  });
}

describe('events of a journal from which entries were left out', () => {
  it('say where entries are missing, and how many', () => {
    expect(shown(0)).toEqual([
      1,
      2,
      '5: 3 events (3 to 5) are left out: the journal grew too long',
      6,
      7,
      '8: event 8 is left out: the journal grew too long',
      9,
    ]);
  });

  it('go on after any of them, also in the middle of a gap', () => {
    expect(shown(5)).toEqual([6, 7, expect.stringContaining('8:'), 9]);
    expect(shown(3)).toEqual([
      expect.stringContaining('5: 2 events (4 to 5)'),
      6,
      7,
      expect.anything(),
      9,
    ]);
    expect(shown(9)).toEqual([]);
  });
});

describe('an event', () => {
  it('has a sentence for a wait, and none of the members that it is made of', () => {
    const about = { step: 'a', direction: 'normal', attempt: 1 } as const;
    const [event] = presentEvents(
      Journal.of([{ seq: 1, at: 0, kind: 'retry_scheduled', ...about, dueAt: 250 }]),
      0,
    );
    const at = '1970-01-01T00:00:00.000Z';
    const message = 'again in 250 ms';
    const actor = 'backstep';
    expect(event).toEqual({ seq: 1, at, kind: 'retry_scheduled', ...about, actor, message });
  });

  it('of a failure has its stack trace for those who may operate tasks alone', () => {
    const stack = 'Error: busy\n    at order (host.ts:7:3)';
    const all = Journal.of([{ seq: 1, at: 0, kind: 'failed', message: 'busy', stack }]);
    for (const role of ROLES) {
      const [event] = presentEvents(all, 0, seesStacks({ role }));
      const sees = role === 'operator' || role === 'author' || role === 'admin';
      expect(event?.stack).toBe(sees ? stack : undefined);
    }
    expect(presentEvents(all, 0)[0]).not.toHaveProperty('stack');
  });

  it('of a failure has its message and not its code', () => {
    const entry = { seq: 1, at: 0, kind: 'failed', message: 'busy', code: 'FAILED' } as const;
    const [event] = presentEvents(Journal.of([entry]), 0);
    expect(event).toEqual({
      seq: 1,
      at: '1970-01-01T00:00:00.000Z',
      kind: 'failed',
      actor: 'backstep',
      message: 'busy',
    });
  });
});
