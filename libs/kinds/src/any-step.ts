import { STEPS_EXAMPLE } from './kind.js';
import type { ObjectMember } from './member.js';

/** The member by which a step of any kind is caught. */
export const CATCH = {
  type: 'object of',
  title: 'a list of objects with `errors` and `steps`',
  entry: 'an object with `errors` and `steps`',
  about:
    'Once the step has failed and was undone, the first clause that names the error runs its' +
    ' steps, and the step counts as succeeded.',
  examples: [{ errors: ['*'], steps: STEPS_EXAMPLE }],
  forms: [
    {
      errors: {
        type: 'errors',
        about: 'Codes of the failures that this catches; "*": any.',
        schema: { examples: [['QUOTA', 'TIMED_OUT'], ['*']] },
      },
      as: {
        type: 'name',
        optional: 'null',
        about: 'Under which name the steps see `{code, message, step}`. Default: none.',
        schema: { examples: ['error'] },
      },
      steps: {
        type: 'steps',
        list: 'catch',
        scope: 'catch',
        title: 'catch {errors}',
        sees: ['as'],
        about: 'Steps that run instead.',
      },
    },
  ],
} as const satisfies ObjectMember;

/** The members that a step of any kind may have, whatever makes it. */
export const SHARED_MEMBERS: readonly string[] = [
  'name',
  'description',
  'needs',
  'if',
  'optional',
  'pivot',
  'catch',
  'locks',
];
