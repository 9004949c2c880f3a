/** Words of the audit log for what requests ask for, whether it was done or refused. */
const AUDIT_WORDS = {
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

const OPERATION = /^([A-Z]+) \/v1\/([a-z]+)[^:]*(?::([a-z]+))?$/;

type Words = Readonly<Record<string, string>>;

/** An operation as people say it: *Skip a step of task*. Null: there are no words for it. */
export function operationWords(operation: string): string | null {
  // The places of names in an address are no part of what was done.
  const [, method = '', kind = '', verb] =
    OPERATION.exec(operation.replaceAll(/\{[^}]*\}/g, '')) ?? [];
  const { methods, nouns, verbs } = AUDIT_WORDS;
  const noun = (nouns as Words)[kind];
  const deed = verb === undefined ? (methods as Words)[method] : (verbs as Words)[verb];
  return noun === undefined || deed === undefined ? null : `${deed} ${noun}`;
}
