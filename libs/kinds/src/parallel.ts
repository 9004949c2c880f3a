import { type KindDeclaration, STEPS_EXAMPLE } from './kind.js';

/** Lists of steps that run beside each other. */
export const parallel = {
  members: {
    parallel: {
      type: 'branches',
      list: 'branch',
      scope: 'branch',
      title: 'branch {name}',
      about: 'Branches by name. They run side by side, and are undone together.',
      example: { left: STEPS_EXAMPLE, right: STEPS_EXAMPLE },
    },
    onBranchFailure: {
      type: 'words',
      words: ['cancel', 'wait'],
      default: 'cancel',
      about:
        'Of parallel branches: a failed one calls the others off (default), or they end first.',
    },
  },
  work: 'steps',
  output: 'named',
  errors: ['TASK_TOO_LARGE'],
  otherWords: ['branches'],
} as const satisfies KindDeclaration;
