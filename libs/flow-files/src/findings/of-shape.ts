import { NESTING_MAX, STEPS_MAX } from '../language/limits.js';
import { CREATE, DROP, type FindingHelp, flow, LOOK, shown, told } from './example.js';

const OPEN = '"input": { "properties": { "cpu": {} } }';

/** Help with findings about members that are missing, unknown or have a value that cannot be. */
export const OF_SHAPE = {
  WRONG_TYPE: shown('Write a value of the type that the message names.', {
    wrong: flow(`{ ${LOOK} }`, `${OPEN}, "description": 3`),
    mended: flow(`{ ${LOOK} }`, `${OPEN}, "description": "Looks around."`),
  }),
  WRONG_VALUE: shown('Write one of the values that the message names.', {
    wrong: flow(`{ ${LOOK} }`, `${OPEN}, "onFailure": "stop"`),
    mended: flow(`{ ${LOOK} }`, `${OPEN}, "onFailure": "hold"`),
  }),
  WRONG_NAME: shown('Use letters, digits, `_`, `-` and `.`, and no more than the message allows.', {
    wrong: flow(`{ "name": "look/around", ${LOOK} }`),
    mended: flow(`{ "name": "look-around", ${LOOK} }`),
  }),
  WRONG_DURATION: shown('Write a number of seconds, or a number and its unit: `"500ms"`, `"2h"`.', {
    wrong: flow(`{ "wait": { "for": "2 hours" } }`),
    mended: flow(`{ "wait": { "for": "2h" } }`),
  }),
  WRONG_MOMENT: shown('Write seconds since 1970, or a date and a time with its zone.', {
    wrong: flow(`{ "wait": { "until": "tomorrow" } }`),
    mended: flow(`{ "wait": { "until": "2030-01-31T08:00:00Z" } }`),
  }),
  OUT_OF_RANGE: shown('Write a number within the limits that the message names.', {
    wrong: flow(`{ "loop": { "max": 5000, "until": "{% cpu > 1 %}", "steps": [{ ${LOOK} }] } }`),
    mended: flow(`{ "loop": { "max": 1000, "until": "{% cpu > 1 %}", "steps": [{ ${LOOK} }] } }`),
  }),
  MISSING_MEMBER: shown('Add the member that the message names.', {
    wrong: flow(`{ "normal": { "module": "mysql" } }`),
    mended: flow(`{ ${LOOK} }`),
  }),
  UNKNOWN_MEMBER: shown('Compare the spelling; the hint names what was probably meant.', {
    wrong: flow(`{ ${CREATE}, "rolback": { "module": "mysql", "command": "drop" } }`),
    mended: flow(`{ ${CREATE}, ${DROP} }`),
  }),
  TWO_KINDS: shown('Make two steps of it, one after the other.', {
    wrong: flow(`{ ${LOOK}, "set": { "seen": true } }`),
    mended: flow(`{ ${LOOK} }, { "set": { "seen": true } }`),
  }),
  CONFLICTING_MEMBERS: shown('Keep the one that says what you mean.', {
    wrong: flow(
      `{ "loop": { "max": 9, "while": "{% cpu < 2 %}", "until": "{% cpu > 1 %}", "steps": [{ ${LOOK} }] } }`,
    ),
    mended: flow(`{ "loop": { "max": 9, "until": "{% cpu > 1 %}", "steps": [{ ${LOOK} }] } }`),
  }),
  NO_STEPS: shown('Add a step, or remove the member that has the list.', {
    wrong: flow(`{ "group": [] }`),
    mended: flow(`{ "group": [{ ${LOOK} }] }`),
  }),
  TOO_MANY_STEPS: told(
    `A flow has at most ${STEPS_MAX} steps. Move parts of it into child flows, or repeated steps into a \`foreach\`.`,
    {
      when: 'a flow of `shop.json` has one step more',
      line: 'flows/shop.json:1:36 TOO_MANY_STEPS `steps` must have at most 1000 steps. Split the flow into several flows.',
    },
  ),
  GROUPS_TOO_DEEP: told(
    `Lists of steps are nested at most ${NESTING_MAX} deep. Move the inner ones into a flow of their own.`,
    {
      when: 'a flow of `shop.json` has groups that are nested one level deeper',
      line: 'flows/shop.json:1:240 GROUPS_TOO_DEEP More than 16 lists of steps lie in each other here. Take steps out of the innermost lists.',
    },
  ),
  DUPLICATE_STEP: shown('Give one of the two another name.', {
    wrong: flow(`{ "name": "look", ${LOOK} }, { "name": "look", ${LOOK} }`),
    mended: flow(`{ "name": "look", ${LOOK} }, { "name": "look-again", ${LOOK} }`),
  }),
  DUPLICATE_CASE: shown('Give one of the two another name.', {
    wrong: flow(
      `{ "choice": [{ "name": "big", "when": "{% cpu > 8 %}", "steps": [{ ${LOOK} }] }, { "name": "big", "when": "{% cpu > 1 %}", "steps": [{ ${LOOK} }] }] }`,
    ),
    mended: flow(
      `{ "choice": [{ "name": "big", "when": "{% cpu > 8 %}", "steps": [{ ${LOOK} }] }, { "name": "some", "when": "{% cpu > 1 %}", "steps": [{ ${LOOK} }] }] }`,
    ),
  }),
  UNKNOWN_STEP: shown('Name a step of the same list. Steps in other lists cannot be waited for.', {
    wrong: flow(`{ "name": "look", ${LOOK} }, { "needs": ["lok"], "set": { "seen": true } }`),
    mended: flow(`{ "name": "look", ${LOOK} }, { "needs": ["look"], "set": { "seen": true } }`),
  }),
  DUPLICATE_NEED: shown('Name each step once.', {
    wrong: flow(
      `{ "name": "look", ${LOOK} }, { "needs": ["look", "look"], "set": { "seen": true } }`,
    ),
    mended: flow(`{ "name": "look", ${LOOK} }, { "needs": ["look"], "set": { "seen": true } }`),
  }),
  CYCLIC_NEEDS: shown('Remove one of the `needs`, so that some step can start.', {
    wrong: flow(
      `{ "name": "a", "needs": ["b"], ${LOOK} }, { "name": "b", "needs": ["a"], ${LOOK} }`,
    ),
    mended: flow(`{ "name": "a", "needs": [], ${LOOK} }, { "name": "b", "needs": ["a"], ${LOOK} }`),
  }),
  ATTEMPT_TIMEOUT_TOO_LONG: shown('`timeout` is the time of all attempts together: raise it.', {
    wrong: flow(
      `{ "normal": { "module": "mysql", "command": "look", "timeout": "1m", "attemptTimeout": "2m" } }`,
    ),
    mended: flow(
      `{ "normal": { "module": "mysql", "command": "look", "timeout": "5m", "attemptTimeout": "2m" } }`,
    ),
  }),
  MAX_DELAY_TOO_SHORT: shown('Raise `maxDelay`, or lower `delay`.', {
    wrong: flow(
      `{ "normal": { "module": "mysql", "command": "look", "retry": { "attempts": 3, "delay": "10s", "maxDelay": "5s" } } }`,
    ),
    mended: flow(
      `{ "normal": { "module": "mysql", "command": "look", "retry": { "attempts": 3, "delay": "5s", "maxDelay": "10s" } } }`,
    ),
  }),
  WRONG_INPUT_SCHEMA: shown('Write a JSON Schema of 2020-12 that can be used.', {
    wrong: flow(`{ ${LOOK} }`, '"input": { "properties": { "cpu": { "type": "int" } } }'),
    mended: flow(`{ ${LOOK} }`, '"input": { "properties": { "cpu": { "type": "integer" } } }'),
  }),
  MISPLACED_SECRET: shown(
    'Write `"secret": true` in the schema of each member that is secret: not in that of all parameters, in `not` or in `propertyNames`.',
    {
      wrong: flow(`{ ${LOOK} }`, '"input": { "secret": true, "properties": { "pw": {} } }'),
      mended: flow(`{ ${LOOK} }`, '"input": { "properties": { "pw": { "secret": true } } }'),
    },
  ),
  SECRET_IN_CLEAR: shown(
    'Remove `default`, `const` and `enum` from the schema of a secret: the flow is stored and shown as it is.',
    {
      wrong: flow(
        `{ ${LOOK} }`,
        '"input": { "properties": { "pw": { "secret": true, "default": "hunter2" } } }',
      ),
      mended: flow(`{ ${LOOK} }`, '"input": { "properties": { "pw": { "secret": true } } }'),
    },
  ),
} satisfies Readonly<Record<string, FindingHelp>>;
