import { type KindDeclaration, UNDO } from './kind.js';

/** A command, and maybe another one that undoes it. */
export const normal = {
  members: {
    normal: {
      type: 'action',
      template: 'object',
      about: 'The action of the step.',
    },
    rollback: UNDO,
  },
  work: 'command',
  output: 'merged',
  errors: null,
  otherWords: ['action', 'forward'],
} as const satisfies KindDeclaration;
