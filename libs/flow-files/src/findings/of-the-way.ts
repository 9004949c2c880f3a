import { CREATE, DROP, type FindingHelp, flow, LOOK, shown } from './example.js';

const INPUT = '"input": { "properties": { "cpu": {} } }';

/** Help with findings about the way of a task: forward, back, and how it ends. */
export const OF_THE_WAY = {
  UNREACHABLE_STEP: shown('Remove the step, or give the step that ends the task an `if`.', {
    wrong: flow(`{ "succeed": true }, { ${LOOK} }`),
    mended: flow(`{ "if": "{% cpu < 2 %}", "succeed": true }, { ${LOOK} }`),
  }),
  CATCH_NEVER_MATCHES: shown('Name an error that the step may have, in a clause before `"*"`.', {
    wrong: flow(
      `{ "approve": { "title": "Go on?" }, "catch": [{ "errors": ["TIMED_OUT"], "steps": [{ ${LOOK} }] }] }`,
    ),
    mended: flow(
      `{ "approve": { "title": "Go on?" }, "catch": [{ "errors": ["REJECTED"], "steps": [{ ${LOOK} }] }] }`,
    ),
  }),
  NO_ROLLBACK: shown(
    'Say how to undo it. Where there is nothing to undo, write `"rollback": null`.',
    { wrong: flow(`{ ${CREATE} }`), mended: flow(`{ ${CREATE}, ${DROP} }`) },
  ),
  WEAK_ROLLBACK: shown('Give the rollback a `retry` with at least as many attempts.', {
    wrong: flow(
      `{ "normal": { "module": "mysql", "command": "create", "retry": 3 }, "rollback": { "module": "mysql", "command": "drop" } }`,
    ),
    mended: flow(
      `{ "normal": { "module": "mysql", "command": "create", "retry": 3 }, "rollback": { "module": "mysql", "command": "drop", "retry": 5 } }`,
    ),
  }),
  TIMEOUT_TOO_LONG: shown('Raise the `timeout` around the step, or lower that of the step.', {
    wrong: flow('{ "wait": { "for": "2h" } }', `${INPUT}, "timeout": "1h"`),
    mended: flow('{ "wait": { "for": "2h" } }', `${INPUT}, "timeout": "3h"`),
  }),
  PIVOT_WITHOUT_HOLD: shown(
    'Give the flow `"onFailure": "hold"`, or the later step `"optional": true`.',
    {
      wrong: flow(`{ ${CREATE}, "pivot": true }, { ${LOOK} }`),
      mended: flow(`{ ${CREATE}, "pivot": true }, { ${LOOK} }`, `${INPUT}, "onFailure": "hold"`),
    },
  ),
  IRREVERSIBLE_LOOP: shown('Put the step after the loop, or give it a rollback.', {
    wrong: flow(
      `{ "loop": { "max": 3, "until": "{% cpu > 1 %}", "steps": [{ ${CREATE}, "rollback": null }] } }`,
    ),
    mended: flow(
      `{ "loop": { "max": 3, "until": "{% cpu > 1 %}", "steps": [{ ${CREATE}, ${DROP} }] } }`,
    ),
  }),
} satisfies Readonly<Record<string, FindingHelp>>;
