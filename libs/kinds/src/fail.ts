import type { KindDeclaration } from './kind.js';

/** Fails. */
export const fail = {
  members: {
    fail: {
      type: 'object of',
      title: 'an object with `code` and `message`',
      about: 'Fails with this code.',
      examples: [{ code: 'QUOTA', message: 'No room is left.' }],
      forms: [
        {
          code: { type: 'code', about: 'Code of the failure, as `catch` names it.' },
          message: {
            type: 'text',
            template: 'text',
            about: 'The reason for people, text or an expression `{% ... %}`.',
            schema: { examples: ['No room is left.'] },
          },
        },
      ],
    },
  },
  work: 'core',
  output: 'none',
  errors: [],
  otherWords: ['throw'],
} as const satisfies KindDeclaration;
