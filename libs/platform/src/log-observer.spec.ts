import { expect, it } from '@jest/globals';
import type { JournalEntry } from '#core';
import { entryMessage } from './log-observer.js';

const entry = (rest: Partial<JournalEntry>): JournalEntry => {
  return { seq: 3, at: 1_000, kind: 'failed', ...rest };
};

it('what was said about a fact is shown as it was said', () => {
  expect(entryMessage(entry({ message: 'busy', code: 'FAILED' }))).toBe('busy');
  expect(entryMessage(entry({}))).toBeUndefined();
});

it('a restart is told as what it costs', () => {
  const restart = entry({ kind: 'restart_scheduled', step: 'a', attempt: 1 });
  expect(entryMessage(restart)).toBe('its executor was lost; this uses up no retry');
});

it('a wait is told in milliseconds from the fact on', () => {
  expect(entryMessage(entry({ kind: 'retry_scheduled', dueAt: 3_500 }))).toBe('again in 2500 ms');
  const held = entry({ kind: 'alert_raised', dueAt: 8_000, message: 'no disk' });
  expect(entryMessage(held)).toBe('held back for 7000 ms, because one was sent just now: no disk');
});

it('a hold says when the task rolls back by itself, if it does', () => {
  const held = { seq: 1, at: 1_000, kind: 'task_on_hold', message: 'step a failed' } as const;
  expect(entryMessage(held)).toBe('step a failed');
  const sentence = 'step a failed; it rolls back by itself in 30m';
  expect(entryMessage({ ...held, dueAt: 1_801_000 })).toBe(sentence);
});

it('says that a skip was no approval', () => {
  const skip = entry({ kind: 'skip_requested', message: 'nobody is there', unapproved: true });
  expect(entryMessage(skip)).toBe('skipped, not approved: nobody is there');
});
