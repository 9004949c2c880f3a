import { type KindDeclaration, UNDO } from './kind.js';

/** A command, and maybe another one that undoes it. */
export const normal = {
  members: {
    normal: { type: 'action', template: 'object', about: 'The action of the step.' },
    rollback: UNDO,
    expiresAfter: {
      type: 'duration',
      optional: 'absent',
      about:
        'Longest time from the moment when the action is ready until its first start. When it is' +
        ' over, the step has failed with EXPIRED. Default: no limit.',
    },
    priority: {
      type: 'whole',
      optional: 'absent',
      about:
        'Head start of the action and its rollback, in seconds. Default: the priority of the task.',
      schema: { minimum: -86_400, maximum: 86_400, examples: [60] },
    },
  },
  work: 'command',
  output: 'merged',
  errors: null,
  otherWords: ['action', 'forward'],
} as const satisfies KindDeclaration;
