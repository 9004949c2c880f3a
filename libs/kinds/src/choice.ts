import { type KindDeclaration, STEPS_EXAMPLE } from './kind.js';

/** The first case whose condition is true is run, else `otherwise`, else nothing. */
export const choice = {
  members: {
    choice: {
      type: 'object of',
      title: 'a list of cases',
      entry: 'a case (an object with `when` and `steps`)',
      named: true,
      about: 'The first case whose `when` is true is run, else `otherwise`, else nothing.',
      examples: [{ name: 'large', when: '{% size > 3 %}', steps: STEPS_EXAMPLE }],
      forms: [
        {
          name: {
            type: 'part name',
            default: '',
            about: 'Default: the position of the case, from 1.',
          },
          when: { type: 'condition', template: 'first', about: 'Whether this case is run.' },
          steps: {
            type: 'steps',
            list: 'case',
            scope: 'case',
            title: 'case {name}',
            about: 'Steps of the case.',
          },
        },
      ],
    },
    otherwise: {
      type: 'steps',
      list: 'case',
      scope: 'case',
      title: 'otherwise',
      optional: 'null',
      about: 'Of a choice: steps that run if no case is true. Default: none.',
    },
  },
  work: 'steps',
  output: 'named',
  gives: ['case'],
  errors: ['TASK_TOO_LARGE'],
  otherWords: ['switch', 'cases'],
} as const satisfies KindDeclaration;
