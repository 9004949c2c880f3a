import { type KindDeclaration, STEPS_EXAMPLE } from './kind.js';

/** A child task for each item of a list. */
export const foreach = {
  members: {
    foreach: {
      type: 'object of',
      title: 'an object with `in`, `as`, and `steps` or `flow`',
      about:
        'A child task for each item of a list, at most `concurrency` at a time. Enough of them' +
        ' must succeed. On the way back the succeeded ones are undone, last item first.',
      examples: [{ in: '{% hosts %}', as: 'host', steps: STEPS_EXAMPLE }],
      oneOf: ['steps', 'flow'],
      belongs: { parameters: 'flow' },
      forms: [
        {
          in: { type: 'list', template: 'items', about: 'The items, at most 100,000.' },
          as: {
            type: 'name',
            about: 'Under which name a child task sees its item. `$index` is its number, from 0.',
            schema: { examples: ['host'] },
          },
          concurrency: {
            type: 'whole',
            default: 10,
            about: 'Child tasks at a time. Default: 10.',
            schema: { minimum: 1, maximum: 1_000, default: 10, examples: [10] },
          },
          successPercent: {
            type: 'number',
            default: 100,
            about: 'Percentage of the child tasks that must succeed. Default: 100.',
            schema: { default: 100, examples: [90] },
          },
          steps: {
            type: 'steps',
            list: 'foreach',
            scope: 'children',
            title: 'each {as}',
            sees: ['as'],
            optional: 'null',
            about: 'Steps of each child task.',
          },
          flow: {
            type: 'flow',
            optional: 'null',
            template: 'text',
            about: 'Flow of the child tasks, text or an expression `{% ... %}`.',
          },
          parameters: {
            type: 'parameters',
            optional: 'null',
            template: 'object',
            from: 'item',
            about:
              'Parameters of each child task besides its item; expressions see the item under its' +
              ' name. Default: none.',
          },
        },
      ],
    },
  },
  work: 'children',
  output: 'named',
  gives: ['count', 'succeeded', 'failed', 'results'],
  errors: ['CHILDREN_FAILED', 'NOT_ALLOWED', 'TASK_TOO_LARGE'],
} as const satisfies KindDeclaration;
