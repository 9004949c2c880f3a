import { type KindDeclaration, LIMITS, UNDO } from './kind.js';

/** Waits for a person's yes or no. */
export const approve = {
  members: {
    approve: {
      type: 'object of',
      title: 'an object with `title`',
      about: "Waits for a person's yes or no. After a no it fails: REJECTED.",
      examples: [{ title: 'Delete the volume?', roles: ['operator'] }],
      forms: [
        {
          title: {
            type: 'text',
            template: 'text',
            about: 'The question, text or an expression `{% ... %}`.',
            schema: { minLength: 1, examples: ['Delete the volume?'] },
          },
          roles: {
            type: 'names',
            default: [],
            about: 'Roles that may answer. Default: everybody who may act on the task.',
            schema: {
              title: 'a list of names of roles',
              maxItems: 20,
              uniqueItems: true,
              items: { $ref: '#/$defs/name', examples: ['operator'] },
              examples: [['operator']],
            },
          },
          notBy: {
            type: 'words',
            words: ['starter'],
            optional: 'absent',
            about:
              'The person who started the task cannot say yes. Default: everybody who is asked may.',
            schema: { examples: ['starter'] },
          },
          ...LIMITS,
        },
      ],
    },
    rollback: UNDO,
  },
  work: 'core',
  output: 'named',
  gives: ['by', 'comment', 'at'],
  errors: ['REJECTED', 'SIGNAL_TIMEOUT'],
  otherWords: ['approval'],
} as const satisfies KindDeclaration;
