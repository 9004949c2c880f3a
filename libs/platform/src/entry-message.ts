import type { JournalEntry } from '#core';
import { formatDuration } from '#wording';

/** The sentence that people read about a fact; undefined: its kind says everything. */
export function entryMessage(entry: JournalEntry): string | undefined {
  const { at, dueAt, kind, message, unapproved } = entry;
  if (unapproved === true) return `skipped, not approved: ${message ?? ''}`;
  if (kind === 'restart_scheduled') return 'its executor was lost; this uses up no retry';
  if (dueAt === undefined) return message;
  const waitMs = dueAt - at;
  if (kind === 'retry_scheduled') return `again in ${waitMs} ms`;
  if (kind === 'task_on_hold') {
    return `${message ?? ''}; it rolls back by itself in ${formatDuration(waitMs)}`;
  }
  return `held back for ${waitMs} ms, because one was sent just now: ${message ?? ''}`;
}
