import type { KindDeclaration } from './kind.js';

/** A scope whose steps are data: the value of an expression when the step is reached. */
export const dynamic = {
  members: {
    dynamic: {
      type: 'object of',
      title: 'an object with `steps`',
      about:
        'Steps that are data: the result of the expression is checked like a file when the step is' +
        ' reached, and runs as a scope of its own.',
      examples: [{ steps: '{% $steps.choose.steps %}' }],
      forms: [
        {
          steps: {
            type: 'expression',
            template: 'steps',
            about: 'An expression whose result is a list of steps, written as in a flow file.',
            schema: { examples: ['{% $steps.choose.steps %}'] },
          },
        },
      ],
    },
  },
  work: 'steps',
  output: 'named',
  errors: null,
} as const satisfies KindDeclaration;
