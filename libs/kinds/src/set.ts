import { type KindDeclaration, UNDO } from './kind.js';

/** Puts values into the parameters. */
export const set = {
  members: {
    set: {
      type: 'object',
      template: 'object',
      about: 'Puts these values into the parameters; texts `{% ... %}` are expressions.',
      schema: { minProperties: 1, examples: [{ total: '{% price * count %}' }] },
    },
    rollback: UNDO,
  },
  work: 'core',
  output: 'merged',
  errors: [],
  otherWords: ['assign'],
} as const satisfies KindDeclaration;
