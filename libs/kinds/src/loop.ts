import { type KindDeclaration, STEPS_EXAMPLE } from './kind.js';

/** A list of steps that is run again and again. */
export const loop = {
  members: {
    loop: {
      type: 'object of',
      title: 'an object with `steps`, `max`, and `while` or `until`',
      about: 'Steps that are run again and again. All rounds are undone, last first.',
      examples: [{ steps: STEPS_EXAMPLE, until: '{% isReady %}', max: 10 }],
      oneOf: ['while', 'until'],
      forms: [
        {
          steps: {
            type: 'steps',
            list: 'loop',
            scope: 'round',
            title: 'up to {max} rounds',
            about: 'Steps of each round.',
          },
          while: {
            type: 'condition',
            optional: 'null',
            template: 'flag',
            from: 'round',
            about: 'Asked after each round: true starts another one.',
          },
          until: {
            type: 'condition',
            optional: 'null',
            template: 'flag',
            from: 'round',
            about: 'Asked after each round: true ends the loop.',
          },
          max: {
            type: 'whole',
            about: 'Most rounds. If the condition asks for one more, the step fails: LOOP_LIMIT.',
            schema: { minimum: 1, maximum: 1_000, examples: [10] },
          },
          delay: {
            type: 'computedDuration',
            optional: 'null',
            template: 'duration',
            from: 'round',
            about: 'Wait between two rounds. Default: none.',
          },
        },
      ],
    },
  },
  work: 'steps',
  output: 'named',
  gives: ['rounds'],
  errors: ['LOOP_LIMIT', 'TASK_TOO_LARGE'],
  otherWords: ['repeat'],
} as const satisfies KindDeclaration;
