import type { KindDeclaration } from './kind.js';

/** Ends the task early and well, once what runs has ended. */
export const succeed = {
  members: {
    succeed: {
      type: 'object of',
      orTrue: true,
      title: 'true, or an object with `output`',
      about: 'Ends the task early, as succeeded. Running steps end first; no new step is started.',
      examples: [true, { output: { state: 'there already' } }],
      forms: [
        {
          output: {
            type: 'json',
            template: 'json',
            about: 'Output of the task; it may have expressions. Default: null.',
          },
        },
      ],
    },
  },
  work: 'core',
  output: 'none',
  errors: [],
} as const satisfies KindDeclaration;
