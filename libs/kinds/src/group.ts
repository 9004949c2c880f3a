import type { KindDeclaration } from './kind.js';

/** A nested saga: a list of steps that is undone as a whole and may then be tried again. */
export const group = {
  members: {
    group: {
      type: 'steps',
      list: 'group',
      scope: 'try',
      title: 'group',
      sees: ['retry', 'as'],
      about:
        'Steps that are undone as a whole when one of them fails, and may be tried again then.',
    },
    retry: {
      type: 'tries',
      template: 'list',
      about:
        'Of a group: how often, and after which waits, the whole group is tried again once it is' +
        ' undone.',
    },
    timeout: {
      type: 'duration',
      default: null,
      about: 'Of a group: time for the way forward of all its tries. Default: no limit.',
    },
  },
  work: 'steps',
  output: 'named',
  errors: ['TIMED_OUT', 'FAILED', 'TASK_TOO_LARGE'],
  otherWords: ['scope', 'subflow', 'steps'],
} as const satisfies KindDeclaration;
