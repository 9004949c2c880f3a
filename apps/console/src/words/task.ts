/** Words of the page of one task. */
export const TASK = {
  provenance: {
    columns: ['Parameter', 'Value', 'Written by', 'Since'],
    writers: { constant: 'a constant of the flow', request: 'the request', step: 'step' },
    earlier: (count: number) => (count === 1 ? 'One earlier value' : `${count} earlier values`),
  },
  attempts: {
    titles: { normal: 'Attempts', rollback: 'Attempts of the undo' },
    columns: ['No.', 'Start', 'End', 'Executor', 'Outcome', 'Message'],
    open: 'not ended',
    lost: 'not in the journal any more',
  },
  gantt: {
    title: 'How long each step took',
    columns: ['Step', 'Begun after', 'Took', 'As a bar'],
    directions: { normal: '', rollback: 'undo' },
    open: 'not ended',
    cut: (count: number) => `${count} more are not shown.`,
  },
  called: { with: 'Called with', written: 'As written' },
  json: {
    all: (length: number) => `Show all ${length.toLocaleString()} characters`,
    download: 'Download',
  },
} as const;
