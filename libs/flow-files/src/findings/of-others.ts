import { CREATE, DROP, type FindingHelp, flow, LOOK, shown } from './example.js';

const INPUT = '"input": { "properties": { "cpu": {} } }';
const EXECUTORS =
  'The examples know of one executor, `mysql`, with the commands `clone`, `drop` and `backup`.';

/** A second flow of the file, `report`. */
function beside(first: string, members: string, steps: string): string {
  return `${first.slice(0, -2)}, "report": { ${members}, "steps": [${steps}] } }`;
}

/** Help with findings about executors and flows that a flow uses. */
export const OF_OTHERS = {
  UNKNOWN_MODULE: shown(`Compare the spelling, and whether the executor is running. ${EXECUTORS}`, {
    wrong: flow(`{ "normal": { "module": "mysq", "command": "clone" } }`),
    mended: flow(`{ "normal": { "module": "mysql", "command": "clone" } }`),
    known: 'commands',
  }),
  UNKNOWN_COMMAND: shown(`Compare the spelling, and the build of the executor. ${EXECUTORS}`, {
    wrong: flow(`{ "normal": { "module": "mysql", "command": "clones" } }`),
    mended: flow(`{ "normal": { "module": "mysql", "command": "clone" } }`),
    known: 'commands',
  }),
  WRONG_CONSTANT: shown(`Give a value that the command takes: \`clone\` takes a whole number.`, {
    wrong: flow(
      `{ "normal": { "module": "mysql", "command": "clone", "parameters": { "cpu": "two" } } }`,
    ),
    mended: flow(
      `{ "normal": { "module": "mysql", "command": "clone", "parameters": { "cpu": 2 } } }`,
    ),
    known: 'commands',
  }),
  MISSING_PARAMETER: shown(
    'Give the parameter: `backup` requires `bucket`. Values come from `parameters` of the action, `input`, `constants`, and steps that it needs.',
    {
      wrong: flow(`{ "normal": { "module": "mysql", "command": "backup" } }`),
      mended: flow(
        `{ "normal": { "module": "mysql", "command": "backup", "parameters": { "bucket": "daily" } } }`,
      ),
      known: 'commands',
    },
  ),
  UNCERTAIN_PARAMETER: shown(
    'Add the parameter to `required` of `input`, or name the output that it comes from in `parameters`. A rollback needs it also if its own step has failed and gave no output.',
    {
      wrong: flow(
        `{ "normal": { "module": "mysql", "command": "backup" } }`,
        '"input": { "properties": { "bucket": {} } }',
      ),
      mended: flow(
        `{ "normal": { "module": "mysql", "command": "backup" } }`,
        '"input": { "required": ["bucket"], "properties": { "bucket": {} } }',
      ),
      known: 'commands',
    },
  ),
  WRONG_REFERENCE: shown(
    'Write `<resolver>:<path>` or `<resolver>:<path>#<key>`, and no expression: one can hand a reference on, and not make one.',
    {
      wrong: flow(
        `{ "normal": { "module": "mysql", "command": "clone", "parameters": { "zone": { "$secret": "db/root" } } } }`,
      ),
      mended: flow(
        `{ "normal": { "module": "mysql", "command": "clone", "parameters": { "zone": { "$secret": "file:db/root" } } } }`,
      ),
    },
  ),
  DEPRECATED_MEMBER: shown(
    'The schema of the command, or the `input` of the flow, says in its description what to give instead.',
    {
      wrong: flow(
        `{ "normal": { "module": "mysql", "command": "clone", "parameters": { "pool": "a" } } }`,
      ),
      mended: flow(
        `{ "normal": { "module": "mysql", "command": "clone", "parameters": { "zone": "a" } } }`,
      ),
      known: 'commands',
    },
  ),
  OWN_FAILURE_FLOW: shown('Name another flow, one that reports or cleans up.', {
    wrong: flow(`{ ${LOOK} }`, `${INPUT}, "failureFlow": "create-db"`),
    mended: beside(
      flow(`{ ${LOOK} }`, `${INPUT}, "failureFlow": "report"`),
      '"input": { "additionalProperties": true }',
      `{ ${LOOK} }`,
    ),
  }),
  UNKNOWN_FAILURE_FLOW: shown('Compare the spelling, or add the flow.', {
    wrong: flow(`{ ${LOOK} }`, `${INPUT}, "failureFlow": "reprot"`),
    mended: beside(
      flow(`{ ${LOOK} }`, `${INPUT}, "failureFlow": "report"`),
      '"input": { "additionalProperties": true }',
      `{ ${LOOK} }`,
    ),
    known: 'flows',
  }),
  FAILURE_FLOW_RING: shown('Remove the `failureFlow` of the flow that ends the chain.', {
    wrong: beside(
      flow(`{ ${LOOK} }`, `${INPUT}, "failureFlow": "report"`),
      '"input": { "additionalProperties": true }, "failureFlow": "create-db"',
      `{ ${LOOK} }`,
    ),
    mended: beside(
      flow(`{ ${LOOK} }`, `${INPUT}, "failureFlow": "report"`),
      '"input": { "additionalProperties": true }',
      `{ ${LOOK} }`,
    ),
  }),
  MAX_LIVE_TOO_HIGH: shown('Lower it, or bound all tasks by `BACKSTEP_MAX_LIVE_TASKS`.', {
    wrong: flow(`{ ${LOOK} }`, `${INPUT}, "maxLive": 50000`),
    mended: flow(`{ ${LOOK} }`, `${INPUT}, "maxLive": 500`),
  }),
  MAX_LIVE_PASSED_BY: shown(
    'Bound the child tasks by a lock or by `concurrency`; `maxLive` bounds what requests start.',
    {
      wrong: flow(
        `{ "if": "{% cpu > 8 %}", "flow": { "name": "create-db" } }`,
        `${INPUT}, "maxLive": 5`,
      ),
      mended: flow(
        `{ "if": "{% cpu > 8 %}", "locks": [{ "name": "half", "slots": 5 }], "flow": { "name": "create-db" } }`,
      ),
    },
  ),
  ENDLESS_FLOWS: shown('Give the step that starts the child task an `if`.', {
    wrong: flow(`{ "flow": { "name": "create-db", "parameters": { "cpu": "{% cpu / 2 %}" } } }`),
    mended: flow(
      `{ "if": "{% cpu > 8 %}", "flow": { "name": "create-db", "parameters": { "cpu": "{% cpu / 2 %}" } } }`,
    ),
  }),
  UNKNOWN_CHILD_FLOW: shown('Compare the spelling, or add the flow.', {
    wrong: beside(flow('{ "flow": { "name": "reprot" } }'), '"input": {}', `{ ${LOOK} }`),
    mended: beside(flow('{ "flow": { "name": "report" } }'), '"input": {}', `{ ${LOOK} }`),
    known: 'flows',
  }),
  WRONG_CHILD_PARAMETERS: shown('Give the child task what its flow takes.', {
    wrong: beside(
      flow('{ "flow": { "name": "report" } }'),
      '"input": { "required": ["text"], "properties": { "text": {} } }',
      `{ ${LOOK} }`,
    ),
    mended: beside(
      flow('{ "flow": { "name": "report", "parameters": { "text": "created" } } }'),
      '"input": { "required": ["text"], "properties": { "text": {} } }',
      `{ ${LOOK} }`,
    ),
  }),
  PIVOT_IN_CHILD: shown('Write `"pivot": true` on the step that starts the child task as well.', {
    wrong: beside(
      flow(`{ "flow": { "name": "report" } }, { ${LOOK} }`, `${INPUT}, "onFailure": "hold"`),
      '"input": {}, "onFailure": "hold"',
      `{ ${CREATE}, "pivot": true }`,
    ),
    mended: beside(
      flow(
        `{ "flow": { "name": "report" }, "pivot": true }, { ${LOOK} }`,
        `${INPUT}, "onFailure": "hold"`,
      ),
      '"input": {}, "onFailure": "hold"',
      `{ ${CREATE}, "pivot": true }`,
    ),
  }),
  LOCK_OF_PARENT: shown('Take the lock in the parent alone, or in the child task alone.', {
    wrong: beside(
      flow('{ "flow": { "name": "report" } }', `${INPUT}, "locks": [{ "name": "host" }]`),
      '"input": {}, "locks": [{ "name": "host" }]',
      `{ ${LOOK} }`,
    ),
    mended: beside(
      flow('{ "flow": { "name": "report" } }', `${INPUT}, "locks": [{ "name": "host" }]`),
      '"input": {}',
      `{ ${LOOK} }`,
    ),
  }),
  LOCKS_INVERTED: shown('Take both locks in the same order everywhere, or in one list.', {
    wrong: beside(
      flow(`{ ${LOOK}, "locks": [{ "name": "disk" }] }`, `${INPUT}, "locks": [{ "name": "host" }]`),
      '"input": {}, "locks": [{ "name": "disk" }]',
      `{ ${CREATE}, ${DROP}, "locks": [{ "name": "host" }] }`,
    ),
    mended: beside(
      flow(`{ ${LOOK}, "locks": [{ "name": "disk" }] }`, `${INPUT}, "locks": [{ "name": "host" }]`),
      '"input": {}, "locks": [{ "name": "disk" }, { "name": "host" }]',
      `{ ${CREATE}, ${DROP} }`,
    ),
  }),
} satisfies Readonly<Record<string, FindingHelp>>;
