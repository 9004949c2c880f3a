import { describe, expect, it } from '@jest/globals';
import { unmarked } from '../../../test/flows/marked-text.js';
import { parseFlowFile, validateFlowText } from './parse-flow-file.js';
import type { ProblemCode } from './problem.js';

const ACT = '{ "module": "m", "command": "c" }';

/** A file whose third line holds one step with these further members. */
function step(members: string): string {
  return `{\n  "f": [\n    { "normal": ${ACT}, ${members} }\n  ]\n}`;
}

/** A file whose third line holds one action with these further members. */
function action(members: string): string {
  return `{\n  "f": [\n    { "normal": { "module": "m", "command": "c", ${members} } }\n  ]\n}`;
}

/** A file whose second line holds further members of a long flow. */
function long(members: string): string {
  return `{ "f": {\n  ${members},\n  "steps": [{ "normal": ${ACT} }] } }`;
}

/** A file with steps that have these further members. */
function chain(...steps: string[]): string {
  return `{ "f": [\n${steps.map((members) => `{ "normal": ${ACT}, ${members} }`).join(',\n')}] }`;
}

/** A file whose third line holds a group of these steps with these further members. */
function group(steps: string, more = ''): string {
  return `{\n  "f": [\n    { "group": [${steps}]${more === '' ? '' : `, ${more}`} }\n  ]\n}`;
}

function retry(members: string): string {
  return action(`"retry": { ${members} }`);
}

const STEPS = `[{ "normal": ${ACT} }]`;

/** The text, with § before what is at fault (else its start is), the code, and the pointer. */
type Bad = readonly [marked: string, code: ProblemCode, pointer: string];

const BAD: readonly Bad[] = [
  ['', 'NO_FLOW', ''],
  ['// only words', 'NO_FLOW', ''],
  ['{}', 'NO_FLOW', ''],
  ['{ "$schema": "x" }', 'NO_FLOW', ''],
  ['[]', 'WRONG_TYPE', ''],
  ['{\n  "f": §', 'SYNTAX', '/f'],
  ['{\n  "f": [1 §2] }', 'SYNTAX', '/f/0'],
  ['{\r\n  "f" §[] }', 'SYNTAX', '/f'],
  ['{ "f": [] }\r§}', 'SYNTAX', ''],
  ['{ §f: [] }', 'SYNTAX', ''],
  ['{ "f": §tru }', 'SYNTAX', '/f'],
  ['/* never closed', 'SYNTAX', ''],
  ['{} §/*', 'SYNTAX', ''],
  [`${'['.repeat(96)}§[`, 'TOO_DEEP', ''],
  [' '.repeat(1_048_577), 'FILE_TOO_LARGE', ''],
  ['{ "f": §3 }', 'WRONG_TYPE', '/f'],
  ['{ "$schema": §3, "f": [{ "normal": ACT }] }', 'WRONG_TYPE', '/$schema'],
  ['{ "f": §[] }', 'NO_STEPS', '/f'],
  ['{ "f": { "steps": §[] } }', 'NO_STEPS', '/f/steps'],
  ['{ "f": §{} }', 'MISSING_MEMBER', '/f'],
  ['{ "f": [\n§{}] }', 'MISSING_MEMBER', '/f/0'],
  ['{ "f": [\n§3] }', 'WRONG_TYPE', '/f/0'],
  ['{ §"a b": [{ "normal": ACT }] }', 'WRONG_NAME', '/a b'],
  ['{ "f": [{ "normal": ACT }],\n §"f": [{ "normal": ACT }] }', 'DUPLICATE_MEMBER', '/f'],
  ['{ "f": [{ "normal": ACT }],\n §"__proto__": [] }', 'FORBIDDEN_MEMBER', '/__proto__'],
  [step('"name": §""'), 'WRONG_NAME', '/f/0/name'],
  [step('"name": §"a/b"'), 'WRONG_NAME', '/f/0/name'],
  [step('§"rolback": null'), 'UNKNOWN_MEMBER', '/f/0/rolback'],
  [step('§"constructor": null'), 'UNKNOWN_MEMBER', '/f/0/constructor'],
  [step('"rollback": §7'), 'WRONG_TYPE', '/f/0/rollback'],
  [step('"needs": §"c"'), 'WRONG_TYPE', '/f/0/needs'],
  [step('"needs": [§"x"]'), 'UNKNOWN_STEP', '/f/0/needs/0'],
  [step('"needs": [§"toString"]'), 'UNKNOWN_STEP', '/f/0/needs/0'],
  [step('"needs": §["c"]'), 'CYCLIC_NEEDS', '/f/0/needs'],
  [step('"needs": §["c", "c"]'), 'DUPLICATE_NEED', '/f/0/needs'],
  [chain('"name": "a"', '"name": §"a"'), 'DUPLICATE_STEP', '/f/1/name'],
  [
    chain('"needs": ["c-3"]', '"needs": §["c-3"]', '"needs": ["c-2"]'),
    'CYCLIC_NEEDS',
    '/f/1/needs',
  ],
  [action('§"timout": 3'), 'UNKNOWN_MEMBER', '/f/0/normal/timout'],
  [action('"timeout": §0'), 'WRONG_DURATION', '/f/0/normal/timeout'],
  [action('"timeout": §-1'), 'WRONG_DURATION', '/f/0/normal/timeout'],
  [action('"timeout": §1e-9'), 'WRONG_DURATION', '/f/0/normal/timeout'],
  [action('"timeout": §"1w"'), 'WRONG_DURATION', '/f/0/normal/timeout'],
  [action('"timeout": §"5 m"'), 'WRONG_DURATION', '/f/0/normal/timeout'],
  [action('"timeout": §"9000h"'), 'WRONG_DURATION', '/f/0/normal/timeout'],
  [action('"timeout": §true'), 'WRONG_TYPE', '/f/0/normal/timeout'],
  [action('"attemptTimeout": §"6m"'), 'ATTEMPT_TIMEOUT_TOO_LONG', '/f/0/normal/attemptTimeout'],
  [
    action('"timeout": 1, "attemptTimeout": §2'),
    'ATTEMPT_TIMEOUT_TOO_LONG',
    '/f/0/normal/attemptTimeout',
  ],
  ['{ "f": [\n{ §"norml": ACT }] }', 'UNKNOWN_MEMBER', '/f/0/norml'],
  ['{ "f": [\n{ §"steps": [] }] }', 'UNKNOWN_MEMBER', '/f/0/steps'],
  ['{ "f": [\n§{ "name": "a" }] }', 'MISSING_MEMBER', '/f/0'],
  ['{ "f": [\n§{ "rollback": ACT }] }', 'MISSING_MEMBER', '/f/0'],
  ['{ "f": [\n§{ "normal": ACT, "group": [{ "normal": ACT }] }] }', 'TWO_KINDS', '/f/0'],
  [step('§"retry": 3'), 'UNKNOWN_MEMBER', '/f/0/retry'],
  [step('§"timeout": "3s"'), 'UNKNOWN_MEMBER', '/f/0/timeout'],
  [group('{ "normal": ACT }', '§"rollback": ACT'), 'UNKNOWN_MEMBER', '/f/0/rollback'],
  [group('{ "normal": ACT }', '"retry": §-1'), 'OUT_OF_RANGE', '/f/0/retry'],
  [group('{ "normal": ACT }', '"retry": §{}'), 'MISSING_MEMBER', '/f/0/retry'],
  [group('{ "normal": ACT }', '"timeout": §"1w"'), 'WRONG_DURATION', '/f/0/timeout'],
  [
    group('{ "normal": ACT }', '"retry": { "attempts": 2, "delay": "9s", "maxDelay": §"1s" }'),
    'MAX_DELAY_TOO_SHORT',
    '/f/0/retry/maxDelay',
  ],
  ['{ "f": [{ "group": §3 }] }', 'WRONG_TYPE', '/f/0/group'],
  ['{ "f": [{ "group": §[] }] }', 'NO_STEPS', '/f/0/group'],
  [group('§3'), 'WRONG_TYPE', '/f/0/group/0'],
  [group('{ "normal": ACT, "needs": [§"x"] }'), 'UNKNOWN_STEP', '/f/0/group/0/needs/0'],
  [group('{ "normal": ACT, "needs": §["c"] }'), 'CYCLIC_NEEDS', '/f/0/group/0/needs'],
  [
    group('{ "name": "a", "normal": ACT },\n { "name": §"a", "normal": ACT }'),
    'DUPLICATE_STEP',
    '/f/0/group/1/name',
  ],
  [
    group('{ "group": [{ "normal": { "module": "m" , §"comand": 1, "command": "c" } }] }'),
    'UNKNOWN_MEMBER',
    '/f/0/group/0/group/0/normal/comand',
  ],
  [action('"retry": §-1'), 'OUT_OF_RANGE', '/f/0/normal/retry'],
  [action('"retry": §1000'), 'OUT_OF_RANGE', '/f/0/normal/retry'],
  [action('"retry": §1.5'), 'WRONG_TYPE', '/f/0/normal/retry'],
  [action('"retry": §{}'), 'MISSING_MEMBER', '/f/0/normal/retry'],
  [retry('"attempts": §0'), 'OUT_OF_RANGE', '/f/0/normal/retry/attempts'],
  [retry('"attempts": §1001'), 'OUT_OF_RANGE', '/f/0/normal/retry/attempts'],
  [retry('"attempts": 2, "backoff": §"linear"'), 'WRONG_VALUE', '/f/0/normal/retry/backoff'],
  [
    retry('"attempts": 2, "delay": 9, "maxDelay": §5'),
    'MAX_DELAY_TOO_SHORT',
    '/f/0/normal/retry/maxDelay',
  ],
  [action('"onCrash": §3'), 'WRONG_TYPE', '/f/0/normal/onCrash'],
  [action('"onCrash": §null'), 'WRONG_TYPE', '/f/0/normal/onCrash'],
  [action('"onCrash": §"restart"'), 'WRONG_VALUE', '/f/0/normal/onCrash'],
  [action('"onCrash": §{}'), 'MISSING_MEMBER', '/f/0/normal/onCrash'],
  [action('"onCrash": { "restarts": §-1 }'), 'OUT_OF_RANGE', '/f/0/normal/onCrash/restarts'],
  [action('"onCrash": { "restarts": §101 }'), 'OUT_OF_RANGE', '/f/0/normal/onCrash/restarts'],
  [action('"onCrash": { "restarts": §1.5 }'), 'WRONG_TYPE', '/f/0/normal/onCrash/restarts'],
  [
    action('"onCrash": { "restarts": 1, §"retries": 1 }'),
    'UNKNOWN_MEMBER',
    '/f/0/normal/onCrash/retries',
  ],
  [action('"parameters": §[]'), 'WRONG_TYPE', '/f/0/normal/parameters'],
  [
    action('"parameters": { "a": { §"__proto__": { "isAdmin": true } } }'),
    'FORBIDDEN_MEMBER',
    '/f/0/normal/parameters/a/__proto__',
  ],
  [
    action('"parameters": { "id": §12345678901234567890 }'),
    'INEXACT_NUMBER',
    '/f/0/normal/parameters/id',
  ],
  [action('"parameters": { "a/b~c": §1e999 }'), 'INEXACT_NUMBER', '/f/0/normal/parameters/a~1b~0c'],
  [long('"timeout": §"forever"'), 'WRONG_DURATION', '/f/timeout'],
  [long('"input": §true'), 'WRONG_TYPE', '/f/input'],
  [long('"input": { "type": §"string" }'), 'WRONG_INPUT_SCHEMA', '/f/input/type'],
  [long('"input": { §"requried": [] }'), 'WRONG_INPUT_SCHEMA', '/f/input/requried'],
  [long('"input": { "$ref": §"#/x" }'), 'WRONG_INPUT_SCHEMA', '/f/input/$ref'],
  [long('"input": §{ "$ref": "#" }'), 'WRONG_INPUT_SCHEMA', '/f/input'],
];

describe('a bad file', () => {
  it.each(BAD)('%j is %s at %j', (marked, code, pointer) => {
    const { text, ...place } = unmarked(marked.replaceAll('ACT', ACT));
    const { problems, flows } = parseFlowFile(text);
    expect(problems).toEqual([
      { code, pointer, ...place, message: expect.any(String), hint: expect.any(String) },
    ]);
    const isElsewhere = pointer === '/__proto__' || pointer === '/$schema';
    expect(flows.map(({ definition }) => definition.name)).toEqual(isElsewhere ? ['f'] : []);
  });

  it('is described in sentences that a person can act on', () => {
    const { problems } = parseFlowFile(`{ "f": [
      { "normal": { "module": "m", "comand": "c", "timeout": "5 minutes" } }
    ] }`);
    expect(problems.map(({ message, hint }) => `${message} ${hint}`)).toEqual([
      '`normal` lacks `command`. Write for example "command": "init_instance".',
      '`normal` cannot have a member `comand`. Did you mean `command`?',
      '`timeout` must be a duration, but is "5 minutes".' +
        ' A number of seconds, or text such as "500ms", "30s", "5m", "2h" or "1d".',
    ]);
  });

  it('name the members that make a step, and say where a member belongs', () => {
    const action = `"normal": ${ACT}`;
    const { problems } = parseFlowFile(`{ "f": [
      { ${action}, "group": [{ ${action} }] },
      { "name": "b" },
      { ${action}, "retry": 3 },
      { "group": [{ ${action} }], "rollback": ${ACT} }
    ] }`);
    expect(problems.map(({ message, hint }) => `${message} ${hint}`)).toEqual([
      'Step 1 has `normal` and `group`, but a step has exactly one of these.' +
        ' Make them steps of their own.',
      'Step 2 has no member that says what to do, such as `normal`.' +
        ' Write for example {"normal":{"module":"mysql","command":"init_instance"}}.',
      'Step 3 has `normal` and cannot have a member `retry`. Put `retry` into `normal`.',
      'Step 4 has `group` and cannot have a member `rollback`.' +
        ' The steps of a group have rollbacks of their own: remove this one.',
    ]);
  });

  it('say that a step needs what stands in another list', () => {
    const { problems } = parseFlowFile(`{ "f": [
      { "name": "a", "normal": ${ACT} },
      { "group": [{ "needs": ["a"], "normal": ${ACT} }] }
    ] }`);
    expect(problems.map(({ message, hint }) => `${message} ${hint}`)).toEqual([
      'No step of this group is called `a`. Name steps of the same list:' +
        ' a group begins when what it needs itself has succeeded.',
    ]);
  });

  it('lists a hundred problems and counts the rest', () => {
    const { problems, flows } = parseFlowFile(`{ "f": [${'3,'.repeat(250)}], "g": [3] }`);
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toMatchObject({
      code: 'TOO_MANY_PROBLEMS',
      message: 'There are 151 more problems.',
    });
    expect(flows).toEqual([]);
  });

  it('still gives the flows that are sound', () => {
    const { flows, names, problems } = parseFlowFile(`{
      "good": ${STEPS},
      "bad": [3],
    }`);
    expect(flows.map(({ definition, line }) => [definition.name, line])).toEqual([['good', 2]]);
    expect(names).toEqual(['good', 'bad']);
    expect(problems).toHaveLength(1);
  });
});

describe('limits', () => {
  it('a thousand steps are fine, one more is not', () => {
    const steps = (count: number) => `{ "f": [${`{ "normal": ${ACT} },`.repeat(count)}] }`;
    expect(parseFlowFile(steps(1_000)).flows[0]?.definition.steps).toHaveLength(1_000);
    expect(validateFlowText(steps(1_001)).problems).toMatchObject([{ code: 'TOO_MANY_STEPS' }]);
  });

  it('a text full of mistakes is not left to the validator', () => {
    // The time of the validator grows with the square of the errors in a list: minutes, if it
    // were given these.
    const junk = [`{ "f": [${'1,'.repeat(200_000)}] }`, needs(200_000), needs(1_001)];
    for (const text of junk) expect(parseFlowFile(text).problems).toHaveLength(1);
    expect(parseFlowFile(needs(1_000)).problems).toHaveLength(101);
  });

  function needs(count: number): string {
    return `{ "f": [{ "normal": ${ACT}, "needs": [${'1,'.repeat(count)}] }] }`;
  }

  it('a thousand steps are fine wherever they stand, one more is not', () => {
    const steps = (count: number) => `{ "normal": ${ACT} },`.repeat(count);
    const text = (inner: number) => `{ "f": { "steps": [${steps(399)} { "group": [
      ${steps(300)} { "group": [${steps(inner)}] }] }] } }`;
    expect(validateFlowText(text(299)).problems).toEqual([]);
    expect(validateFlowText(text(300)).problems).toMatchObject([
      { code: 'TOO_MANY_STEPS', pointer: '/f/steps', line: 1, column: 19 },
    ]);
  });

  it('sixteen groups in each other are fine, one more is not', () => {
    const nest = (count: number) => {
      return `{ "f": [${'{ "group": ['.repeat(count)}{ "normal": ${ACT} }${'] }'.repeat(count)}] }`;
    };
    expect(validateFlowText(nest(16)).problems).toEqual([]);
    const pointer = `/f${'/0/group'.repeat(17)}`;
    const [, problem] = [null, ...validateFlowText(nest(17)).problems];
    expect(problem).toMatchObject({ code: 'GROUPS_TOO_DEEP', pointer, line: 1 });
  });

  it('two hundred flows are fine, one more is not', () => {
    const flows = (count: number) => {
      return `{ ${Array.from({ length: count }, (_, i) => `"f${i}": ${STEPS}`).join()} }`;
    };
    expect(parseFlowFile(flows(200)).flows).toHaveLength(200);
    expect(validateFlowText(flows(201)).problems).toMatchObject([{ code: 'TOO_MANY_FLOWS' }]);
  });
});

describe('with a catalogue of commands', () => {
  const catalogue = {
    modules: () => ['mysql', 'resource'],
    commands: (module: string) => (module === 'mysql' ? ['init_instance'] : []),
  };
  const text = (module: string, command: string) => {
    return `{ "f": [{ "normal": { "module": "${module}", "command": "${command}" } }] }`;
  };

  it('known commands are valid', () => {
    const result = validateFlowText(text('mysql', 'init_instance'), { commands: catalogue });
    expect(result).toMatchObject({ valid: true, problems: [] });
  });

  it('an unknown module and an unknown command are problems, with what was probably meant', () => {
    expect(validateFlowText(text('msql', 'x'), { commands: catalogue }).problems).toMatchObject([
      { code: 'UNKNOWN_MODULE', pointer: '/f/0/normal/module', hint: 'Did you mean `mysql`?' },
    ]);
    expect(validateFlowText(text('mysql', 'init'), { commands: catalogue }).problems).toMatchObject(
      [{ code: 'UNKNOWN_COMMAND', pointer: '/f/0/normal/command', column: 53 }],
    );
  });
});

describe('a wide flow', () => {
  const wide = (count: number) => {
    const fan = Array.from(
      { length: count },
      (_, i) => `{"name":"s${i}","needs":["a"],"normal":${ACT}}`,
    );
    return `{"f":[{"name":"a","normal":${ACT}},\n${fan.join()}],\n "g":{"steps":[${fan.join().replaceAll('["a"]', '[]')}]}}`;
  };

  it('may run all steps but its first side by side', () => {
    expect(validateFlowText(wide(999)).problems).toEqual([]);
  });

  it('that is a ring of steps is only told that', () => {
    const ring = Array.from({ length: 150 }, (_, i) => {
      return `{"name":"s${i}","needs":["s${(i + 1) % 150}"],"normal":${ACT}}`;
    });
    const { problems } = validateFlowText(`{"f":[${ring.join()}]}`);
    expect(problems).toMatchObject([{ code: 'CYCLIC_NEEDS' }]);
  });
});

describe('a sound flow comes with a warning', () => {
  it('where it has no input', () => {
    expect(validateFlowText(`{\n "f": ${STEPS} }`)).toMatchObject({
      valid: true,
      problems: [],
      warnings: [{ code: 'NO_INPUT', pointer: '/f', line: 2, column: 2 }],
    });
  });

  it('where its input requires what no request can send', () => {
    const warningsOf = (input: string) => {
      return validateFlowText(`{"f": {"input": ${input}, "steps": ${STEPS}}}`).warnings;
    };
    expect(warningsOf('{"required": ["a"]}')).toMatchObject([
      { code: 'UNDECLARED_MEMBER', pointer: '/f/input/required' },
    ]);
    expect(warningsOf('{"required": ["a"], "properties": {"a": {}}}')).toEqual([]);
    expect(warningsOf('{"required": ["a"], "allOf": [{"properties": {"a": {}}}]}')).toEqual([]);
    expect(warningsOf('{"required": ["a"], "patternProperties": {"a": {}}}')).toEqual([]);
    expect(warningsOf('{"required": ["a"], "additionalProperties": true}')).toEqual([]);
  });

  it('but not where it is refused anyway', () => {
    expect(validateFlowText('{"f": [3]}').warnings).toEqual([]);
  });
});
