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
  called: { with: 'Called with', written: 'As written' },
  json: {
    all: (length: number) => `Show all ${length.toLocaleString()} characters`,
    download: 'Download',
  },
} as const;
