import type { KnownCommands } from '../known-commands.js';
import type { ParseOptions } from '../parse-flow-file.js';
import type { ProblemCode } from '../problem.js';

/** A definition that is wrong in one way, with the code and the place of what is found. */
interface WrongFlow {
  readonly code: ProblemCode;
  readonly pointer: string;
  readonly text: string;
  readonly known?: ParseOptions;
}

/** The only executors that there are. */
const COMMANDS: KnownCommands = {
  modules: () => ['m'],
  commands: () => ['check', 'wait'],
  schemas: (_module, command) => [
    {
      properties: { size: { type: 'integer' }, mode: { deprecated: true } },
      ...(command === 'wait' && { required: ['ms'] }),
    },
  ],
  outputs: (_module, command) => {
    return command === 'check' ? [{ properties: { host: {} }, additionalProperties: false }] : [];
  },
};

const RUN = '"normal": { "module": "m", "command": "check" }';
const UNDO = '"rollback": { "module": "m", "command": "undo" }';
const MAKE = '"normal": { "module": "m", "command": "create_it" }';
const SET = '"set": { "on": 1 }';
const ENDS = '"fail": { "code": "A", "message": "" }';

/** A flow `f` with a closed input, these steps and these further members. */
function flow(steps: string, members = ''): string {
  const closed = '"input": { "properties": { "size": {} } }';
  return `{ "f": { ${closed}, ${members === '' ? '' : `${members},`} "steps": [${steps}] } }`;
}

/** The same beside other flows. */
function among(steps: string, others: string, members = ''): string {
  return `${flow(steps, members).slice(0, -2)}, ${others} }`;
}

function action(members: string): string {
  return flow(`{ "normal": { "module": "m", "command": "check", ${members} } }`);
}

function nested(depth: number): string {
  return `${'{ "group": ['.repeat(depth)}{ ${SET} }${'] }'.repeat(depth)}`;
}

function many(count: number, each: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => each(n)).join(', ');
}

const PIVOTAL = `"other": { "input": {}, "onFailure": "hold", "steps": [{ ${SET}, "pivot": true }] }`;
const SIZED = `"other": { "input": { "required": ["size"], "properties": { "size": {} } }, "steps": [{ ${SET} }] }`;

/** Files and flows that are refused. */
export const WRONG: readonly WrongFlow[] = [
  { code: 'NO_FLOW', pointer: '', text: '{}' },
  { code: 'SYNTAX', pointer: '/f', text: '{ "f": tru }' },
  { code: 'TOO_DEEP', pointer: '', text: '['.repeat(97) },
  { code: 'FILE_TOO_LARGE', pointer: '', text: ' '.repeat(1_048_577) },
  { code: 'WRONG_TYPE', pointer: '/f', text: '{ "f": 3 }' },
  { code: 'MISSING_MEMBER', pointer: '/f', text: '{ "f": {} }' },
  { code: 'MISSING_MEMBER', pointer: '/f/steps/0', text: flow('{ "name": "a" }') },
  { code: 'NO_STEPS', pointer: '/f/steps', text: flow('') },
  { code: 'DUPLICATE_MEMBER', pointer: '/f/steps/0/on', text: flow('{ "on": 1, "on": 2 }') },
  { code: 'FORBIDDEN_MEMBER', pointer: '/f/steps/0/__proto__', text: flow('{ "__proto__": 1 }') },
  {
    code: 'INEXACT_NUMBER',
    pointer: '/f/constants/n',
    text: flow(`{ ${SET} }`, '"constants": { "n": 9007199254740993 }'),
  },
  { code: 'WRONG_NAME', pointer: '/f/steps/0/name', text: flow(`{ "name": "a/b", ${SET} }`) },
  {
    code: 'WRONG_VALUE',
    pointer: '/f/onFailure',
    text: flow(`{ ${SET} }`, '"onFailure": "explode"'),
  },
  {
    code: 'WRONG_DURATION',
    pointer: '/f/steps/0/normal/timeout',
    text: action('"timeout": "1 d"'),
  },
  {
    code: 'WRONG_MOMENT',
    pointer: '/f/steps/0/wait/until',
    text: flow('{ "wait": { "until": "tomorrow" } }'),
  },
  {
    code: 'WRONG_EXPRESSION',
    pointer: '/f/steps/0/set/a',
    text: flow('{ "set": { "a": "{% 1 + %}" } }'),
  },
  {
    code: 'WRONG_EXPRESSION',
    pointer: '/f/steps/0/if',
    text: flow(`{ "if": "{% $eval('1') %}", ${SET} }`),
  },
  {
    code: 'EXPRESSION_NOT_ALLOWED',
    pointer: '/f/constants/a',
    text: flow(`{ ${SET} }`, '"constants": { "a": "{% 1 %}" }'),
  },
  {
    code: 'OUT_OF_RANGE',
    pointer: '/f/steps/0/loop/max',
    text: flow(`{ "loop": { "max": 1001, "until": true, "steps": [{ ${SET} }] } }`),
  },
  { code: 'OUT_OF_RANGE', pointer: '/f/steps/0/normal/retry', text: action('"retry": -1') },
  {
    code: 'UNKNOWN_MEMBER',
    pointer: '/f/steps/0/rolback',
    text: flow(`{ ${RUN}, "rolback": null }`),
  },
  { code: 'UNKNOWN_MEMBER', pointer: '/f/labls', text: flow(`{ ${SET} }`, '"labls": {}') },
  { code: 'TWO_KINDS', pointer: '/f/steps/0', text: flow(`{ ${RUN}, ${SET} }`) },
  {
    code: 'CONFLICTING_MEMBERS',
    pointer: '/f/steps/0/loop',
    text: flow(`{ "loop": { "max": 2, "until": true, "while": true, "steps": [{ ${SET} }] } }`),
  },
  { code: 'TOO_MANY_STEPS', pointer: '/f/steps', text: flow(many(1_001, () => `{ ${SET} }`)) },
  { code: 'GROUPS_TOO_DEEP', pointer: `/f/steps${'/0/group'.repeat(17)}`, text: flow(nested(20)) },
  {
    code: 'TOO_MANY_FLOWS',
    pointer: '',
    text: `{ ${many(1_001, (n) => `"f${n}": [{ ${SET} }]`)} }`,
  },
  {
    code: 'TOO_MANY_EXPRESSIONS',
    pointer: '/f',
    text: flow(`{ "set": { "a": [${many(2_002, (n) => `"{% ${n} %}"`)}] } }`),
  },
  {
    code: 'DUPLICATE_STEP',
    pointer: '/f/steps/1/name',
    text: flow(`{ "name": "a", ${SET} }, { "name": "a", ${SET} }`),
  },
  {
    code: 'DUPLICATE_CASE',
    pointer: '/f/steps/0/choice/1/name',
    text: flow(
      `{ "choice": [${many(2, () => `{ "name": "a", "when": true, "steps": [{ ${SET} }] }`)}] }`,
    ),
  },
  {
    code: 'UNKNOWN_STEP',
    pointer: '/f/steps/0/needs/0',
    text: flow(`{ "needs": ["gone"], ${SET} }`),
  },
  {
    code: 'DUPLICATE_NEED',
    pointer: '/f/steps/1/needs',
    text: flow(`{ "name": "a", ${SET} }, { "name": "b", "needs": ["a", "a"], "set": { "b": 1 } }`),
  },
  {
    code: 'CYCLIC_NEEDS',
    pointer: '/f/steps/0/needs',
    text: flow(`{ "name": "a", "needs": ["a"], ${SET} }`),
  },
  {
    code: 'ATTEMPT_TIMEOUT_TOO_LONG',
    pointer: '/f/steps/0/normal/attemptTimeout',
    text: action('"timeout": 1, "attemptTimeout": 2'),
  },
  {
    code: 'MAX_DELAY_TOO_SHORT',
    pointer: '/f/steps/0/normal/retry/maxDelay',
    text: action('"retry": { "attempts": 2, "backoff": "fixed", "delay": "9s", "maxDelay": "1s" }'),
  },
  {
    code: 'WRONG_INPUT_SCHEMA',
    pointer: '/f/input/type',
    text: `{ "f": { "input": { "type": "wrong" }, "steps": [{ ${SET} }] } }`,
  },
  {
    code: 'MISPLACED_SECRET',
    pointer: '/f/input/secret',
    text: `{ "f": { "input": { "secret": true }, "steps": [{ ${SET} }] } }`,
  },
  {
    code: 'MISPLACED_SECRET',
    pointer: '/f/input/$defs/all/secret',
    text: `{ "f": { "input": { "allOf": [{ "$ref": "#/$defs/all" }], "$defs": { "all": { "secret": true } } }, "steps": [{ ${SET} }] } }`,
  },
  {
    code: 'MISPLACED_SECRET',
    pointer: '/f/input/properties/users/propertyNames/secret',
    text: `{ "f": { "input": { "properties": { "users": { "propertyNames": { "secret": true } } } }, "steps": [{ ${SET} }] } }`,
  },
  {
    code: 'UNKNOWN_MODULE',
    pointer: '/f/steps/0/normal/module',
    text: flow('{ "normal": { "module": "n", "command": "check" } }'),
    known: { commands: COMMANDS },
  },
  {
    code: 'UNKNOWN_COMMAND',
    pointer: '/f/steps/0/normal/command',
    text: flow('{ "normal": { "module": "m", "command": "chek" } }'),
    known: { commands: COMMANDS },
  },
  {
    code: 'WRONG_CONSTANT',
    pointer: '/f/steps/0/normal/parameters/size',
    text: action('"parameters": { "size": "big" }'),
    known: { commands: COMMANDS },
  },
  {
    code: 'MISSING_PARAMETER',
    pointer: '/f/steps/0/normal',
    text: flow('{ "normal": { "module": "m", "command": "wait" } }'),
    known: { commands: COMMANDS },
  },
  {
    code: 'WRONG_REFERENCE',
    pointer: '/f/steps/0/normal/parameters/pw',
    text: action('"parameters": { "pw": { "$secret": "no form" } }'),
  },
  {
    code: 'WRONG_REFERENCE',
    pointer: '/f/steps/0/normal/parameters/list/0',
    text: action(`"parameters": { "list": [{ "$secret": "{% 'file:' & name %}" }] }`),
  },
  {
    code: 'WRONG_REFERENCE',
    pointer: '/f/constants/pw',
    text: flow(`{ ${SET} }`, '"constants": { "pw": { "$secret": "file:a", "more": 1 } }'),
  },
  {
    code: 'OWN_FAILURE_FLOW',
    pointer: '/f/failureFlow',
    text: flow(`{ ${SET} }`, '"failureFlow": "f"'),
  },
  {
    code: 'ENDLESS_FLOWS',
    pointer: '/f/steps/0/flow/name',
    text: flow('{ "flow": { "name": "f" } }'),
  },
  {
    code: 'STEP_NOT_BEFORE',
    pointer: '/f/steps/0/set/b',
    text: flow(`{ "set": { "b": "{% $steps.z %}" } }, { "name": "z", ${SET} }`),
  },
];

/** Flows that can be started, and may surprise their authors. */
export const WARNED: readonly WrongFlow[] = [
  {
    code: 'UNKNOWN_FAILURE_FLOW',
    pointer: '/f/failureFlow',
    text: flow(`{ ${SET} }`, '"failureFlow": "gone"'),
    known: { flows: [] },
  },
  {
    code: 'FAILURE_FLOW_RING',
    pointer: '/f/failureFlow',
    text: among(
      `{ ${SET} }`,
      `"other": { "input": {}, "failureFlow": "f", "steps": [{ ${SET} }] }`,
      '"failureFlow": "other"',
    ),
  },
  {
    code: 'MAX_LIVE_TOO_HIGH',
    pointer: '/f/maxLive',
    text: flow(`{ ${SET} }`, '"maxLive": 10001'),
  },
  {
    code: 'MAX_LIVE_PASSED_BY',
    pointer: '/f/steps/0/flow/name',
    text: flow('{ "if": "{% size > 1 %}", "flow": { "name": "f" } }', '"maxLive": 5'),
  },
  {
    code: 'UNKNOWN_CHILD_FLOW',
    pointer: '/f/steps/0/flow/name',
    text: flow('{ "flow": { "name": "gone" } }'),
    known: { flows: [] },
  },
  {
    code: 'WRONG_CHILD_PARAMETERS',
    pointer: '/f/steps/0/flow',
    text: among('{ "flow": { "name": "other" } }', SIZED),
  },
  {
    code: 'PIVOT_IN_CHILD',
    pointer: '/f/steps/0/flow/name',
    text: among(`{ "flow": { "name": "other" } }, { ${RUN} }`, PIVOTAL),
  },
  { code: 'NO_INPUT', pointer: '/f', text: `{ "f": [{ ${SET} }] }` },
  {
    code: 'UNORDERED_STEP',
    pointer: '/f/steps/1/set/a',
    text: flow(`{ "name": "x", ${SET}, "needs": [] }, { "set": { "a": "{% $steps.x %}" } }`),
  },
  {
    code: 'UNKNOWN_PARAMETER',
    pointer: '/f/steps/0/set/a',
    text: flow('{ "set": { "a": "{% sise %}" } }'),
  },
  {
    code: 'UNKNOWN_OUTPUT',
    pointer: '/f/steps/1/set/a',
    text: flow(`{ ${RUN} }, { "set": { "a": "{% $steps.check.hosts %}" } }`),
    known: { commands: COMMANDS },
  },
  {
    code: 'VARYING_RESULT',
    pointer: '/f/steps/0/set/a/b',
    text: flow('{ "set": { "a": { "b": "{% $input.size[x = 1].y %}" } } }'),
  },
  { code: 'UNREACHABLE_STEP', pointer: '/f/steps/1', text: flow(`{ ${ENDS} }, { ${RUN} }`) },
  {
    code: 'CATCH_NEVER_MATCHES',
    pointer: '/f/steps/0/catch/1/errors',
    text: flow(
      `{ ${RUN}, "catch": [{ "errors": ["*"], "steps": [{ ${SET} }] }, { "errors": ["A"], "steps": [{ ${SET} }] }] }`,
    ),
  },
  {
    code: 'WRITTEN_TWICE',
    pointer: '/f/steps/1/set/x',
    text: flow(
      '{ "name": "a", "needs": [], "set": { "x": 1 } }, { "name": "b", "set": { "x": 2 } }',
    ),
  },
  {
    code: 'OUTPUT_AS_PARAMETER',
    pointer: '/f/steps/1/normal',
    text: flow(`{ "name": "size", "wait": { "signal": "s" } }, { ${RUN} }`),
    known: { commands: COMMANDS },
  },
  { code: 'NO_ROLLBACK', pointer: '/f/steps/0', text: flow(`{ ${MAKE} }`) },
  {
    code: 'WEAK_ROLLBACK',
    pointer: '/f/steps/0/rollback',
    text: flow(
      '{ "normal": { "module": "m", "command": "c", "retry": 3 }, "rollback": { "module": "m", "command": "u" } }',
    ),
  },
  {
    code: 'WEAK_ROLLBACK',
    pointer: '/f/steps/0/rollback',
    text: flow(
      '{ "normal": { "module": "m", "command": "c", "retry": 3 }, "rollback": { "module": "m", "command": "u", "retry": { "attempts": 4, "never": ["A"] } } }',
    ),
  },
  {
    code: 'CATCH_NEVER_MATCHES',
    pointer: '/f/steps/0/catch/0/errors/1',
    text: flow(
      `{ "approve": { "title": "go" }, "catch": [{ "errors": ["REJECTED", "TIMED_OUT"], "steps": [{ ${SET} }] }] }`,
    ),
  },
  {
    code: 'LOCKS_INVERTED',
    pointer: '/f/steps/0/locks/0/name',
    text: among(
      `{ ${RUN}, "locks": [{ "name": "b" }] }`,
      `"other": { "input": {}, "locks": [{ "name": "b" }], "steps": [{ ${SET}, "locks": [{ "name": "a" }] }] }`,
      '"locks": [{ "name": "a" }]',
    ),
  },
  {
    code: 'LOCK_OF_PARENT',
    pointer: '/f/steps/0/flow/name',
    text: among(
      '{ "flow": { "name": "other" } }',
      `"other": { "input": {}, "steps": [{ ${SET}, "locks": [{ "name": "a" }] }] }`,
      '"locks": [{ "name": "a" }]',
    ),
  },
  {
    code: 'FOREACH_WITHOUT_BOUND',
    pointer: '/f/steps/0/foreach/in',
    text: `{ "f": { "input": { "properties": { "hosts": { "type": "array" } } }, "steps": [{ "foreach": { "in": "{% hosts %}", "as": "host", "steps": [{ ${RUN} }] } }] } }`,
  },
  {
    code: 'DEPRECATED_MEMBER',
    pointer: '/f/steps/0/normal/parameters/mode',
    text: action('"parameters": { "mode": "{% size %}" }'),
    known: { commands: COMMANDS },
  },
  {
    code: 'UNCERTAIN_PARAMETER',
    pointer: '/f/steps/0/rollback',
    text: flow(`{ ${RUN}, "rollback": { "module": "m", "command": "wait" } }`),
    known: { commands: COMMANDS },
  },
  {
    code: 'TIMEOUT_TOO_LONG',
    pointer: '/f/steps/0/wait/for',
    text: flow('{ "wait": { "for": "2h" } }', '"timeout": "1h"'),
  },
  {
    code: 'PIVOT_WITHOUT_HOLD',
    pointer: '/f/steps/0/pivot',
    text: flow(`{ ${SET}, "pivot": true }, { ${RUN} }`),
  },
  {
    code: 'IRREVERSIBLE_LOOP',
    pointer: '/f/steps/0/loop/steps/0',
    text: flow(`{ "loop": { "max": 2, "until": true, "steps": [{ ${MAKE}, "rollback": null }] } }`),
  },
  {
    code: 'SECRET_IN_CLEAR',
    pointer: '/f/input/properties/users/items/default',
    text: `{ "f": { "input": { "properties": { "users": { "items": { "secret": true, "default": "a" } } } }, "steps": [{ ${SET} }] } }`,
  },
  {
    code: 'UNDECLARED_MEMBER',
    pointer: '/f/input/required',
    text: `{ "f": { "input": { "required": ["size"], "properties": {} }, "steps": [{ ${SET} }] } }`,
  },
];

/** Flows that are as they should be, one or more for each kind of step and each of the checks. */
export const SOUND: readonly string[] = [
  flow(`{ ${RUN} }`),
  flow(`{ ${MAKE}, ${UNDO} }`),
  flow(`{ ${MAKE}, "rollback": null }`),
  flow(`{ ${MAKE}, "pivot": true }`),
  flow(`{ ${SET}, "pivot": true }, { ${RUN} }`, '"onFailure": "hold"'),
  flow(`{ "name": "a", ${SET} }, { "set": { "b": "{% $steps.a.on + size %}" } }`),
  flow(`{ "group": [{ ${MAKE}, ${UNDO} }], "retry": 2, "timeout": "1h" }`),
  flow(
    `{ "choice": [{ "when": "{% size > 1 %}", "steps": [{ ${RUN} }] }], "otherwise": [{ ${SET} }] }`,
  ),
  flow(`{ "parallel": { "a": [{ ${RUN} }], "b": [{ ${SET} }] }, "onBranchFailure": "wait" }`),
  flow(`{ "loop": { "max": 3, "until": "{% $index > 1 %}", "steps": [{ ${RUN} }] } }`),
  flow(
    `{ "foreach": { "in": "{% [1..9] %}", "as": "x", "concurrency": 3, "steps": [{ ${RUN} }] } }`,
  ),
  `{ "f": { "input": { "properties": { "hosts": { "type": "array", "maxItems": 50 } } }, "steps": [{ "foreach": { "in": "{% hosts %}", "as": "host", "steps": [{ ${RUN} }] } }] } }`,
  flow(`{ "wait": { "for": "5m" } }`),
  flow(`{ "wait": { "until": "2030-01-01T00:00:00Z" } }`),
  flow(`{ "wait": { "signal": "go", "timeout": "1h", "onTimeout": "continue" } }`),
  flow(`{ "approve": { "title": "{% 'size ' & size %}", "timeout": "1h" } }`),
  flow(`{ "if": "{% size > 1 %}", "succeed": true }, { ${RUN} }`),
  flow(`{ "if": "{% size > 1 %}", "fail": { "code": "TOO_BIG", "message": "no" } }, { ${RUN} }`),
  flow(`{ "dynamic": { "steps": "{% size %}" } }`),
  flow(
    `{ ${RUN}, "catch": [{ "errors": ["A"], "as": "e", "steps": [{ "set": { "c": "{% e.code %}" } }] }] }`,
  ),
  flow(`{ "name": "a", ${RUN}, "optional": true }, { ${SET} }`),
  flow(`{ ${RUN} }`, '"output": { "size": "{% size %}" }, "timeout": "1h"'),
  flow(`{ ${RUN} }`, '"labels": { "size": "{% $string(size) %}" }, "locks": [{ "name": "x" }]'),
  among(
    `{ ${RUN}, "locks": [{ "name": "b" }] }`,
    `"other": { "input": {}, "locks": [{ "name": "a" }], "steps": [{ ${SET}, "locks": [{ "name": "b" }] }] }`,
    '"locks": [{ "name": "a" }]',
  ),
  flow(`{ ${RUN} }`, '"constants": { "region": "eu-1" }, "maxLive": 5'),
  among('{ "flow": { "name": "other", "parameters": { "size": 1 } } }', SIZED),
  among('{ "flow": { "name": "other" }, "pivot": true }', PIVOTAL, '"onFailure": "hold"'),
  among(
    `{ ${RUN} }`,
    `"report": { "input": {}, "steps": [{ ${SET} }] }`,
    '"failureFlow": "report"',
  ),
];
