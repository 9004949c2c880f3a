/** Words of the page of one task. */
export const TASK = {
  provenance: {
    columns: ['Parameter', 'Value', 'Written by', 'Since'],
    writers: { constant: 'a constant of the flow', request: 'the request', step: 'step' },
    earlier: (count: number) => (count === 1 ? 'One earlier value' : `${count} earlier values`),
  },
  attempts: {
    titles: { normal: 'Attempts', rollback: 'Attempts of the undo' },
    columns: ['No.', 'Start', 'End', 'Executor', 'Outcome'],
    open: 'not ended',
    lost: 'no longer in the journal',
    stack: 'Stack trace',
  },
  gantt: {
    title: 'How long each step took',
    columns: ['Step', 'Begun after', 'Took', 'As a bar'],
    directions: { normal: '', rollback: 'undo' },
    open: 'not ended',
    cut: (count: number) => `${count} more are not shown.`,
  },
  actions: {
    approve: 'Approve',
    reject: 'Reject',
    retry: 'Retry',
    resume: 'Resume',
    skip: 'Skip',
    complete: 'Complete',
    pause: 'Pause',
    rollback: 'Roll back',
    reset: 'Reset',
    undo: 'Undo',
    restart: 'Restart',
    terminate: 'Terminate',
  },
  journal: {
    attempt: (number: number) => `attempt ${number}`,
    directions: {
      alert: (event: string) => `alert ${event}`,
      rollback: (event: string) => `undo ${event}`,
    },
  },
  children: (counts: {
    readonly succeeded: number;
    readonly total: number;
    readonly failed: number;
    readonly active: number;
    readonly started: number;
    readonly way: 'forward' | 'back';
  }) => {
    const { active, failed, started, succeeded, total, way } = counts;
    if (way === 'back') {
      return `${failed} of ${started} undone, ${succeeded} to undo, ${active} open`;
    }
    return `${succeeded} of ${total} succeeded, ${failed} failed, ${active} open`;
  },
  childTasks: {
    filter: 'Show',
    filters: [
      ['', 'all'],
      ['rollback_failed,on_hold,paused', 'that wait for a person'],
      ['live', 'under way'],
      ['succeeded', 'succeeded'],
      ['rolled_back,terminated', 'undone or ended'],
    ],
    columns: ['Item', 'State', 'Took', 'Message'],
    item: (number: string) => `item ${number}`,
    none: 'There is no such child task.',
    previous: 'Newer',
    next: 'Older',
  },
  retries: (count: number) => (count === 1 ? 'once' : `${count} times`),
  report: {
    asOf: 'As of',
    steps: 'Steps',
    stepColumns: ['Step', 'Forward', 'Undo', 'Attempts', 'Started', 'Took', 'Error'],
    noUndo: 'has none',
    notUndone: 'Not undone',
    people: 'Actions of people',
    peopleColumns: ['When', 'Who', 'What', 'Reason'],
    nobody: 'Nobody acted on this task.',
  },
  signal: {
    send: 'Send signal',
    name: 'Name of the signal',
    nameMissing: 'Name the signal.',
    payload: 'Payload (JSON object)',
    taken: 'A step that waits for it goes on, and the payload is its output. It is delivered once.',
    kept: 'No step asks for it now. It is kept for a later step, and delivered once.',
  },
  called: { with: 'Called with', written: 'As written' },
  json: {
    all: (length: number) => `Show all ${length.toLocaleString()} characters`,
    download: 'Download',
  },
} as const;
