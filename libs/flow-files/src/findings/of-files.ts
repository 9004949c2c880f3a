import { FLOWS_MAX, NESTING_MAX, STEPS_MAX } from '../language/limits.js';
import { DEPTH_MAX, TEXT_LENGTH_MAX } from '../read-json.js';
import { CREATE, DROP, type FindingHelp, flow, LOOK, shown, told } from './example.js';

/** Help with findings that concern a file or its text, whatever its flows say. */
export const OF_FILES = {
  FOLDER_NOT_READABLE: told(
    'Check the name of the folder in `BACKSTEP_FLOWS`, and the permissions of the user that runs Backstep.',
    {
      when: 'there is no folder `flows`',
      line: 'flows:1:1 FOLDER_NOT_READABLE The folder does not exist. Create the folder, or set BACKSTEP_FLOWS to the one that holds your flow files.',
    },
  ),
  FILE_NOT_READABLE: told('Check the permissions of the file, and that it is not a folder.', {
    when: '`shop.json` is a link to itself',
    line: 'flows/shop.json:1:1 FILE_NOT_READABLE The file cannot be read (ELOOP). Let the user that Backstep runs as read it.',
  }),
  FILE_OUTSIDE_FOLDER: told('Put a copy of the file into the folder, in place of the link.', {
    when: '`shop.json` is a link to a file beside the folder',
    line: 'flows/shop.json:1:1 FILE_OUTSIDE_FOLDER The file is a link that leads out of the folder, so it is not read. Put the file itself there, or link to a file in the folder.',
  }),
  NOT_UTF8: told('Save the file as UTF-8.', {
    when: '`shop.json` begins with the bytes of UTF-16',
    line: 'flows/shop.json:1:1 NOT_UTF8 The file is not UTF-8 text. Save it as UTF-8 in your editor.',
  }),
  FILE_TOO_LARGE: told(
    `A flow file has at most ${TEXT_LENGTH_MAX} characters. Spread the flows over several files.`,
    {
      when: '`shop.json` has one character more',
      line: 'flows/shop.json:1:1 FILE_TOO_LARGE The text is longer than 1024 KiB. Spread the flows over several files.',
    },
  ),
  TOO_DEEP: told(
    `Lists and objects are nested at most ${DEPTH_MAX} deep. Move a part into a flow of its own.`,
    {
      when: '`shop.json` has a constant of 97 nested lists',
      line: 'flows/shop.json:1:143 TOO_DEEP Lists and objects are nested deeper than 96 levels here. Write it flatter.',
    },
  ),
  TOO_MANY_FLOWS: told(
    `A file defines at most ${FLOWS_MAX} flows. Spread them over several files.`,
    {
      when: '`shop.json` has one flow more',
      line: 'flows/shop.json:1:1 TOO_MANY_FLOWS The file defines more than 200 flows. Spread the flows over several files.',
    },
  ),
  TOO_MANY_PROBLEMS: told('Mend what is listed, then check again.', {
    when: '`shop.json` has 250 steps that are numbers',
    line: 'flows/shop.json:1:1 TOO_MANY_PROBLEMS There are 150 more problems. Repair the listed ones first.',
  }),
  DUPLICATE_FLOW: told('Each flow is defined by one file. Rename one of the two, or delete it.', {
    when: '`book.json` and `shop.json` both have a flow `order`',
    line: 'flows/shop.json:1:1 DUPLICATE_FLOW book.json defines a flow `order` already, and that one counts. Rename one of the two, or remove it.',
  }),
  SYNTAX: shown('Look at the named place: often a comma or a quotation mark is missing.', {
    wrong: `{\n  "create-db": {\n    "input": {},\n    "steps": [{ ${LOOK} }\n  }\n}`,
    mended: `{\n  "create-db": {\n    "input": {},\n    "steps": [{ ${LOOK} }]\n  }\n}`,
  }),
  DUPLICATE_MEMBER: shown('Keep one of the two: readers of JSON differ in which one counts.', {
    wrong: `{\n  "create-db": {\n    "timeout": "1h",\n    "input": {},\n    "timeout": "2h",\n    "steps": [{ ${LOOK} }]\n  }\n}`,
    mended: `{\n  "create-db": {\n    "input": {},\n    "timeout": "2h",\n    "steps": [{ ${LOOK} }]\n  }\n}`,
  }),
  FORBIDDEN_MEMBER: shown(
    'Choose another name: `__proto__` has a meaning of its own in JavaScript.',
    {
      wrong: flow(`{ "set": { "__proto__": 1, "cpu": 2 } }`),
      mended: flow(`{ "set": { "prototype": 1, "cpu": 2 } }`),
    },
  ),
  INEXACT_NUMBER: shown('Write the number as text, or with fewer digits.', {
    wrong: `{\n  "create-db": {\n    "input": {},\n    "constants": { "account": 9007199254740993 },\n    "steps": [{ ${LOOK} }]\n  }\n}`,
    mended: `{\n  "create-db": {\n    "input": {},\n    "constants": { "account": "9007199254740993" },\n    "steps": [{ ${LOOK} }]\n  }\n}`,
  }),
  NO_FLOW: shown('Add a flow: its name, and what it is.', {
    wrong: '{}',
    mended: flow(`{ ${CREATE}, ${DROP} }`),
  }),
} satisfies Readonly<Record<string, FindingHelp>>;

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
