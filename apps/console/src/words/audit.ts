/** Words of the audit log for what requests do. */
export const AUDIT_WORDS = {
  /** By the verb at the end of an address. */
  verbs: {
    approve: 'Approved',
    archive: 'Archived',
    batch: 'Started',
    cancel: 'Called off',
    complete: 'Completed a step of',
    pause: 'Paused',
    plan: 'Planned',
    redeliver: 'Sent again a message of',
    reject: 'Rejected',
    reset: 'Reset',
    restart: 'Restarted',
    resume: 'Resumed',
    retry: 'Retried',
    rollback: 'Rolled back',
    signal: 'Sent a signal to',
    skip: 'Skipped a step of',
    terminate: 'Terminated',
    test: 'Tested',
    trigger: 'Triggered',
    undo: 'Undid',
    validate: 'Checked',
  },
  /** By the method, where an address ends with no verb. */
  methods: { POST: 'Created', PUT: 'Stored', DELETE: 'Removed', GET: 'Read' },
  /** By the first part of an address. */
  nouns: {
    archive: 'the archive',
    audit: 'the audit log',
    commands: 'defaults of a command',
    flows: 'flow',
    keys: 'API key',
    notifications: 'notification',
    operations: 'operation',
    schedules: 'schedule',
    session: 'session',
    tasks: 'task',
  },
} as const;
