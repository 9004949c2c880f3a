/** Words of the audit log for what requests ask for, whether it was done or refused. */
export const AUDIT_WORDS = {
  /** By the verb at the end of an address. */
  verbs: {
    approve: 'Approve',
    archive: 'Archive',
    batch: 'Start',
    cancel: 'Call off',
    complete: 'Complete a step of',
    pause: 'Pause',
    plan: 'Plan',
    redeliver: 'Send again a message of',
    reject: 'Reject',
    reset: 'Reset',
    restart: 'Restart',
    resume: 'Resume',
    retry: 'Retry',
    rollback: 'Roll back',
    signal: 'Send a signal to',
    skip: 'Skip a step of',
    terminate: 'Terminate',
    test: 'Test',
    trigger: 'Trigger',
    undo: 'Undo',
    validate: 'Check',
  },
  /** By the method, where an address ends with no verb. */
  methods: { POST: 'Create', PUT: 'Store', DELETE: 'Remove', GET: 'Read', END: 'End of' },
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
