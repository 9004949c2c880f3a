import { type KindDeclaration, LIMITS, UNDO } from './kind.js';

/** Waits for a duration, a moment or a signal. */
export const wait = {
  members: {
    wait: {
      type: 'object of',
      title: 'an object with `for`, `until` or `signal`',
      about: 'Waits for a duration, a moment, or a signal that is sent to the task.',
      examples: [{ for: '10m' }, { signal: 'paid', timeout: '24h' }],
      forms: [
        { for: { type: 'computedDuration', template: 'duration', about: 'Length of the wait.' } },
        {
          until: {
            type: 'computedMoment',
            template: 'moment',
            about: 'End of the wait; a moment in the past ends it at once.',
          },
        },
        {
          signal: {
            type: 'name',
            about: 'Name of the signal that ends the wait; its payload is the output.',
            schema: { examples: ['paid'] },
          },
          ...LIMITS,
        },
      ],
    },
    rollback: UNDO,
  },
  work: 'core',
  output: 'named',
  errors: ['SIGNAL_TIMEOUT'],
  otherWords: ['sleep'],
} as const satisfies KindDeclaration;
