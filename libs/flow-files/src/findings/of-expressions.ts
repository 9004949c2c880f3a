import { EXPRESSIONS_MAX } from '../language/limits.js';
import { type FindingHelp, flow, LOOK, shown, told } from './example.js';

/** Help with findings about expressions, and about what they read. */
export const OF_EXPRESSIONS = {
  WRONG_EXPRESSION: shown('Mend the expression at the named column.', {
    wrong: flow(`{ "set": { "twice": "{% cpu * %}" } }`),
    mended: flow(`{ "set": { "twice": "{% cpu * 2 %}" } }`),
  }),
  TOO_MANY_EXPRESSIONS: told(
    `A flow has at most ${EXPRESSIONS_MAX} different expressions. Compute values once, by a \`set\`.`,
    {
      when: 'a flow of `shop.json` has one expression more',
      line: 'flows/shop.json:1:12 TOO_MANY_EXPRESSIONS The flow has more than 2000 different expressions. Work values out once, by a step with `set`, or split the flow.',
    },
  ),
  EXPRESSION_NOT_ALLOWED: shown('Compute the value by a step with `set`.', {
    wrong: flow(
      `{ ${LOOK} }`,
      '"input": { "properties": { "cpu": {} } }, "constants": { "twice": "{% cpu * 2 %}" }',
    ),
    mended: flow(`{ "set": { "twice": "{% cpu * 2 %}" } }, { ${LOOK} }`),
  }),
  STEP_NOT_BEFORE: shown('Put the step that is read before the step that reads it.', {
    wrong: flow(
      `{ "set": { "host": "{% $steps.find.host %}" } }, { "name": "find", "normal": { "module": "mysql", "command": "find" } }`,
    ),
    mended: flow(
      `{ "name": "find", "normal": { "module": "mysql", "command": "find" } }, { "set": { "host": "{% $steps.find.host %}" } }`,
    ),
  }),
  UNORDERED_STEP: shown('Name the step in the `needs` of the step that reads it.', {
    wrong: flow(
      `{ "name": "find", "needs": [], "set": { "host": "a" } }, { "name": "tell", "needs": [], "set": { "told": "{% $steps.find.host %}" } }`,
    ),
    mended: flow(
      `{ "name": "find", "needs": [], "set": { "host": "a" } }, { "name": "tell", "needs": ["find"], "set": { "told": "{% $steps.find.host %}" } }`,
    ),
  }),
  UNKNOWN_PARAMETER: shown('Compare the spelling, or declare the parameter in `input`.', {
    wrong: flow(`{ "set": { "twice": "{% cpus * 2 %}" } }`),
    mended: flow(`{ "set": { "twice": "{% cpu * 2 %}" } }`),
  }),
  UNKNOWN_OUTPUT: shown(
    'Compare the spelling with the output that the command declares, or add the member there.',
    {
      wrong: flow(
        `{ "name": "save", "normal": { "module": "mysql", "command": "backup", "parameters": { "bucket": "b" } } }, { "set": { "saved": "{% $steps.save.path %}" } }`,
      ),
      mended: flow(
        `{ "name": "save", "normal": { "module": "mysql", "command": "backup", "parameters": { "bucket": "b" } } }, { "set": { "saved": "{% $steps.save.file %}" } }`,
      ),
      known: 'commands',
    },
  ),
  VARYING_RESULT: shown(
    'Write `[...]` around a selection for a list of any size, or `(...)[0]` for its first entry.',
    {
      wrong: flow(
        `{ "set": { "large": "{% hosts[cpu > 4].name %}" } }`,
        '"input": { "properties": { "hosts": { "type": "array" } } }',
      ),
      mended: flow(
        `{ "set": { "large": "{% [hosts[cpu > 4].name] %}" } }`,
        '"input": { "properties": { "hosts": { "type": "array" } } }',
      ),
    },
  ),
  NO_INPUT: shown(
    'Declare what a request may send: mistakes are then refused before a task runs.',
    { wrong: `{ "create-db": [{ ${LOOK} }] }`, mended: flow(`{ ${LOOK} }`) },
  ),
  UNDECLARED_MEMBER: shown('Add the member to `properties`, or remove it from `required`.', {
    wrong: flow(`{ ${LOOK} }`, '"input": { "required": ["cpu"], "properties": { "disk": {} } }'),
    mended: flow(
      `{ ${LOOK} }`,
      '"input": { "required": ["cpu"], "properties": { "cpu": {}, "disk": {} } }',
    ),
  }),
  OUTPUT_AS_PARAMETER: shown(
    'Rename the step, or write the parameter into `parameters` of the action.',
    {
      wrong: flow(
        `{ "name": "cpu", "wait": { "signal": "cpu" } }, { "normal": { "module": "mysql", "command": "clone" }, "rollback": null }`,
      ),
      mended: flow(
        `{ "name": "cpu", "wait": { "signal": "cpu" } }, { "normal": { "module": "mysql", "command": "clone", "parameters": { "cpu": "{% $steps.cpu.count %}" } }, "rollback": null }`,
      ),
      known: 'commands',
    },
  ),
  WRITTEN_TWICE: shown('Rename one of the two parameters, or let one step need the other.', {
    wrong: flow(
      `{ "name": "a", "needs": [], "set": { "host": 1 } }, { "name": "b", "needs": [], "set": { "host": 2 } }`,
    ),
    mended: flow(
      `{ "name": "a", "needs": [], "set": { "host": 1 } }, { "name": "b", "needs": ["a"], "set": { "host": 2 } }`,
    ),
  }),
  FOREACH_WITHOUT_BOUND: shown(
    'Give the list `maxItems` in `input`, or the number its `maximum`.',
    {
      wrong: flow(
        `{ "foreach": { "in": "{% hosts %}", "as": "host", "steps": [{ ${LOOK} }] } }`,
        '"input": { "properties": { "hosts": { "type": "array" } } }',
      ),
      mended: flow(
        `{ "foreach": { "in": "{% hosts %}", "as": "host", "steps": [{ ${LOOK} }] } }`,
        '"input": { "properties": { "hosts": { "type": "array", "maxItems": 500 } } }',
      ),
    },
  ),
} satisfies Readonly<Record<string, FindingHelp>>;
