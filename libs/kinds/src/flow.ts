import type { KindDeclaration } from './kind.js';

/** One child task of another flow. */
export const flow = {
  members: {
    flow: {
      type: 'object of',
      title: 'an object with `name`',
      about: 'One child task of another flow, which must succeed. Nothing is inherited.',
      examples: [{ name: 'create-db-instance', parameters: '{% $ %}' }],
      forms: [
        {
          name: {
            type: 'flow',
            template: 'text',
            about: 'Flow of the child tasks, text or an expression `{% ... %}`.',
          },
          version: {
            type: 'whole',
            optional: 'null',
            about: 'Version of the flow. Default: the newest when the step is reached.',
            schema: { minimum: 1, examples: [3] },
          },
          parameters: {
            type: 'parameters',
            optional: 'null',
            template: 'object',
            about: 'Parameters of the child task, which gets no others.',
          },
        },
      ],
    },
  },
  work: 'children',
  output: 'named',
  gives: ['taskId', 'status', 'output'],
  errors: ['CHILD_FAILED', 'NOT_ALLOWED', 'TASK_TOO_LARGE'],
} as const satisfies KindDeclaration;
