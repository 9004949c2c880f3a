import { describe, expect, it } from '@jest/globals';
import { unmarked } from '../../../../test/flows/marked-text.js';
import { parseFlowFile, validateFlowText } from '../parse-flow-file.js';
import type { ProblemCode } from '../problem.js';

/** Short for what flows are full of. */
const SHORT: readonly (readonly [RegExp, string])[] = [
  [/\bRUN\b/g, '"normal": { "module": "m", "command": "check" }'],
  [/\bMAKE\b/g, '"normal": { "module": "m", "command": "create_it" }'],
  [/\bUNDO\b/g, '"rollback": { "module": "m", "command": "undo" }'],
  [/\bON\b/g, '"set": { "on": 1 }'],
];

/** A flow whose input is closed, with these further members and steps; `§` marks a place. */
function flow(steps: string, members = ''): string {
  const closed = '"input": { "properties": { "size": {} } }';
  const text = `{ "f": { ${closed}, ${members}\n "steps": [${steps}] } }`;
  return SHORT.reduce((all, [short, long]) => all.replace(short, long), text);
}

type Case = readonly [marked: string, code: ProblemCode, pointer: string, words?: string];

const PROBLEMS: readonly Case[] = [
  [flow('{ "set": { "a": "{% 1 + §%}" } }'), 'WRONG_EXPRESSION', '/steps/0/set/a'],
  [
    flow('{ "set": { "a": "\\u007b% \\u0022x\\u0022 & §} %}" } }'),
    'WRONG_EXPRESSION',
    '/steps/0/set/a',
  ],
  [flow('{ "set": { "a": "{% §$eval(\'1\') %}" } }'), 'WRONG_EXPRESSION', '/steps/0/set/a'],
  [flow('{ "set": { "a": "{% §$millis() %}" } }'), 'WRONG_EXPRESSION', '/steps/0/set/a'],
  [flow('{ "set": { "a": "{% §$unknown %}" } }'), 'WRONG_EXPRESSION', '/steps/0/set/a'],
  [flow('{ "if": "{% 1 §) %}", ON }'), 'WRONG_EXPRESSION', '/steps/0/if'],
  [
    flow('{ "normal": { "module": "m", "command": "c", "parameters": { "a": ["{% §] %}"] } } }'),
    'WRONG_EXPRESSION',
    '/steps/0/normal/parameters/a/0',
  ],
  [flow('{ ON }', '"output": { "a": "{% §] %}" },'), 'WRONG_EXPRESSION', '/output/a'],
  [
    flow('{ ON }', '"constants": { "a": [§"{% 1 %}"] },'),
    'EXPRESSION_NOT_ALLOWED',
    '/constants/a/0',
  ],
  [
    flow('{ "set": { "a": "{% $steps.§gone %}" } }'),
    'STEP_NOT_BEFORE',
    '/steps/0/set/a',
    'called `gone`',
  ],
  [flow('{ "set": { "a": "{% $state(§\'gone\') %}" } }'), 'STEP_NOT_BEFORE', '/steps/0/set/a'],
  [
    flow('{ "name": "a", "set": { "b": "{% $steps.§a %}" } }'),
    'STEP_NOT_BEFORE',
    '/steps/0/set/b',
    'cannot have run',
  ],
  [
    flow('{ "set": { "b": "{% $steps.§z %}" } }, { "name": "z", ON }'),
    'STEP_NOT_BEFORE',
    '/steps/0/set/b',
    'cannot have run',
  ],
  [
    flow('{ "group": [{ "name": "in", ON }] }, { "set": { "a": "{% $steps.§in %}" } }'),
    'STEP_NOT_BEFORE',
    '/steps/1/set/a',
  ],
  [
    flow(
      '{ "parallel": { "a": [{ "name": "x", ON }], "b": [{ "set": { "a": "{% $steps.§x %}" } }] } }',
    ),
    'STEP_NOT_BEFORE',
    '/steps/0/parallel/b/0/set/a',
  ],
  [
    flow(
      '{ "name": "x", ON, "catch": [{ "errors": ["A"], "steps": [{ "set": { "a": "{% $steps.§x %}" } }] }] }',
    ),
    'STEP_NOT_BEFORE',
    '/steps/0/catch/0/steps/0/set/a',
  ],
];

const WARNINGS: readonly Case[] = [
  [flow('{ "set": { "a": "{% §sise %}" } }'), 'UNKNOWN_PARAMETER', '/steps/0/set/a', '`sise`'],
  [flow('{ "set": { "a": "{% $input.§sise %}" } }'), 'UNKNOWN_PARAMETER', '/steps/0/set/a'],
  [
    flow('{ "choice": [{ "when": "{% §b %}", "steps": [{ ON }] }] }, { "set": { "b": 1 } }'),
    'UNKNOWN_PARAMETER',
    '/steps/0/choice/0/when',
  ],
  [
    flow('{ "group": [{ "set": { "b": 1 } }] }, { "set": { "a": "{% §b %}" } }'),
    'UNKNOWN_PARAMETER',
    '/steps/1/set/a',
  ],
  [
    flow('{ "name": "x", ON, "needs": [] }, { "set": { "a": "{% $steps.§x %}" } }'),
    'UNORDERED_STEP',
    '/steps/1/set/a',
  ],
  [flow('{ "name": "s", "succeed": true }, §{ RUN }'), 'UNREACHABLE_STEP', '/steps/1', '`s` ends'],
  [
    flow('{ "fail": { "code": "A", "message": "" } }, §{ RUN }, { RUN }'),
    'UNREACHABLE_STEP',
    '/steps/1',
    'always fails',
  ],
  [
    flow(
      '{ "choice": [{ "when": "{% size %}", "steps": [{ "succeed": true }] }], "otherwise": [{ "fail": { "code": "A", "message": "" } }] }, §{ RUN }',
    ),
    'UNREACHABLE_STEP',
    '/steps/1',
  ],
  [
    flow('{ "parallel": { "a": [{ RUN }], "b": [{ "group": [{ "succeed": true }] }] } }, §{ RUN }'),
    'UNREACHABLE_STEP',
    '/steps/1',
  ],
  [
    flow(
      '{ RUN, "catch": [{ "errors": ["*"], "steps": [{ ON }] }, { "errors": §["A"], "steps": [{ ON }] }] }',
    ),
    'CATCH_NEVER_MATCHES',
    '/steps/0/catch/1/errors',
  ],
  [
    flow(
      '{ RUN, "catch": [{ "errors": ["A"], "steps": [{ ON }] }, { "errors": ["B", §"A"], "steps": [{ ON }] }] }',
    ),
    'CATCH_NEVER_MATCHES',
    '/steps/0/catch/1/errors/1',
  ],
  [
    flow('{ "name": "a", "needs": [], "set": { "x": 1 } }, { "name": "b", "set": { "x": §2 } }'),
    'WRITTEN_TWICE',
    '/steps/1/set/x',
    '`a` and `b`',
  ],
  [
    flow(
      '{ "foreach": { "in": "{% size %}", "as": "x", "steps": [{ "group": [{ "set": { "a": "{% x + $count(§size) %}" } }] }] } }',
    ),
    'UNKNOWN_PARAMETER',
    '/steps/0/foreach/steps/0/group/0/set/a',
    'gets its item, and not `size`',
  ],
  [flow('§{ MAKE }'), 'NO_ROLLBACK', '/steps/0'],
  [flow('{ RUN, UNDO }, §{ RUN }'), 'NO_ROLLBACK', '/steps/1'],
  [
    flow(
      '§{ "normal": { "module": "http", "command": "request", "parameters": { "method": "POST" } } }',
    ),
    'NO_ROLLBACK',
    '/steps/0',
  ],
  [
    flow(
      '{ "normal": { "module": "m", "command": "c", "retry": 3 }, "rollback": §{ "module": "m", "command": "u" } }',
    ),
    'WEAK_ROLLBACK',
    '/steps/0/rollback',
    '1 attempt, and what it undoes has 4',
  ],
  [
    flow(
      '{ "normal": { "module": "m", "command": "c", "retry": 1 }, "rollback": §{ "module": "m", "command": "u", "retry": { "attempts": 2, "only": ["A"] } } }',
    ),
    'WEAK_ROLLBACK',
    '/steps/0/rollback',
    'not tried again after every error',
  ],
  [
    flow(
      '{ "flow": { "name": "g" }, "catch": [{ "errors": ["CHILD_FAILED", §"QUOTA"], "steps": [{ ON }] }] }',
    ),
    'CATCH_NEVER_MATCHES',
    '/steps/0/catch/0/errors/1',
    '`QUOTA` never matches',
  ],
  [
    flow(
      '{ "group": [{ "wait": { "signal": "a" } }, { "fail": { "code": "A", "message": "" } }], "catch": [{ "errors": [§"B"], "steps": [{ ON }] }] }',
    ),
    'CATCH_NEVER_MATCHES',
    '/steps/0/catch/0/errors/0',
  ],
  [
    flow('{ "normal": { "module": "m", "command": "c", "timeout": §"2h" } }', '"timeout": "1h",'),
    'TIMEOUT_TOO_LONG',
    '/steps/0/normal/timeout',
  ],
  [
    flow(
      '{ "normal": { "module": "m", "command": "c", "attemptTimeout": §"45s" } }',
      '"timeout": "30s",',
    ),
    'TIMEOUT_TOO_LONG',
    '/steps/0/normal/attemptTimeout',
  ],
  [
    flow('{ "timeout": "1m", "group": [{ "wait": { "signal": "a", "timeout": §"2m" } }] }'),
    'TIMEOUT_TOO_LONG',
    '/steps/0/group/0/wait/timeout',
  ],
  [
    flow('{ "wait": { "for": §"2h" } }', '"timeout": "1h",'),
    'TIMEOUT_TOO_LONG',
    '/steps/0/wait/for',
  ],
  [
    flow('{ ON, "pivot": §true }, { "name": "b", RUN }'),
    'PIVOT_WITHOUT_HOLD',
    '/steps/0/pivot',
    '`b`',
  ],
  [
    flow('{ "group": [{ ON, "pivot": §true }] }, { RUN }'),
    'PIVOT_WITHOUT_HOLD',
    '/steps/0/group/0/pivot',
  ],
  [
    flow(
      '{ "loop": { "max": 2, "until": true, "steps": [{ "group": [§{ MAKE, "rollback": null }] }] } }',
    ),
    'IRREVERSIBLE_LOOP',
    '/steps/0/loop/steps/0/group/0',
  ],
  [
    flow('{ "loop": { "max": 2, "until": true, "steps": [§{ ON, "pivot": true }] } }'),
    'IRREVERSIBLE_LOOP',
    '/steps/0/loop/steps/0',
  ],
];

const SOUND: readonly string[] = [
  flow('{ "name": "a", ON }, { "set": { "b": "{% $steps.a.on + on + size %}" } }'),
  flow(
    '{ "name": "a", RUN, "rollback": { "module": "m", "command": "u", "parameters": { "x": "{% $steps.a.id %}" } } }',
  ),
  flow('{ RUN }, { "set": { "b": "{% anything %}" } }'),
  flow('{ "set": { "b": "{% region %}" } }', '"constants": { "region": 1 },'),
  flow(
    '{ "name": "a", ON }, { "group": [{ "if": "{% $state(\'a\') = \'skipped\' %}", "set": { "c": "{% on %}" } }] }',
  ),
  flow('{ "retry": { "forEach": [1], "as": "x" }, "group": [{ "set": { "c": "{% x %}" } }] }'),
  flow(
    '{ "foreach": { "in": "{% size %}", "as": "size", "steps": [{ "set": { "a": "{% size %}" } }] } }',
  ),
  flow(
    '{ "foreach": { "in": "{% size %}", "as": "x", "flow": "other", "parameters": { "of": "{% size %}" } } }',
  ),
  flow(
    '{ "name": "a", ON }, { "group": [{ "name": "b", ON }, { "foreach": { "in": [1], "as": "x", "flow": "other", "parameters": { "c": "{% x + on + $steps.a.on + $steps.b.on %}" } } }] }',
  ),
  flow(
    '{ RUN, "catch": [{ "errors": ["*"], "as": "e", "steps": [{ "set": { "c": "{% e.code %}" } }] }] }',
  ),
  flow(
    '{ "loop": { "max": 2, "until": "{% $steps.b.c = 2 and c = 2 %}", "steps": [{ "set": { "a": "{% $steps.b.c %}" } }, { "name": "b", "set": { "c": 1 } }] } }',
  ),
  flow('{ "name": "x", "group": [{ ON }] }, { "set": { "a": "{% x.on + $steps.x.on %}" } }'),
  flow('{ "name": "x", ON, "needs": [] }, { "set": { "a": "{% $state(\'x\') %}" } }'),
  flow('{ ON }, { RUN }', '"output": "{% $steps.set.on & $steps.check %}",'),
  flow('{ "if": "{% size > 1 %}", "succeed": true }, { RUN }'),
  flow('{ "optional": true, "fail": { "code": "A", "message": "" } }, { RUN }'),
  flow(
    '{ "fail": { "code": "A", "message": "" }, "catch": [{ "errors": ["A"], "steps": [{ ON }] }] }, { RUN }',
  ),
  flow('{ "choice": [{ "when": "{% size %}", "steps": [{ "succeed": true }] }] }, { RUN }'),
  flow('{ "name": "a", "set": { "x": 1 } }, { "name": "b", "set": { "x": 2 } }'),
  flow('{ MAKE, UNDO }, { RUN }, { MAKE, "rollback": null }'),
  flow('{ MAKE, "pivot": true }, { ON }', '"onFailure": "rollback",'),
  flow('{ MAKE, "pivot": true }, { RUN }', '"onFailure": "hold",'),
  flow('{ ON, "pivot": true }, { RUN, "catch": [{ "errors": ["*"], "steps": [{ ON }] }] }'),
  flow('{ "normal": { "module": "m", "command": "c" } }', '"timeout": "1s",'),
  flow(
    '{ "normal": { "module": "m", "command": "c", "retry": 3 }, "rollback": { "module": "m", "command": "u", "timeout": 10, "retry": 3 } }',
  ),
  flow(
    '{ "normal": { "module": "m", "command": "c", "retry": { "attempts": 2, "never": ["A"] } }, "rollback": { "module": "m", "command": "u", "retry": { "attempts": 2, "never": ["B"] } } }',
  ),
  flow(
    '{ "normal": { "module": "m", "command": "c" }, "rollback": { "module": "m", "command": "u", "retry": { "attempts": 2, "never": ["B"] } } }',
  ),
  flow(
    '{ "group": [{ "choice": [{ "when": true, "steps": [{ "fail": { "code": "A", "message": "" } }] }] }], "timeout": "1m", "catch": [{ "errors": ["A", "TIMED_OUT"], "steps": [{ ON }] }] }',
  ),
  flow(
    '{ "group": [{ "wait": { "signal": "a", "timeout": 9 }, "catch": [{ "errors": ["SIGNAL_TIMEOUT"], "steps": [{ "fail": { "code": "B", "message": "" } }] }] }], "catch": [{ "errors": ["B"], "steps": [{ ON }] }] }',
  ),
  flow(
    '{ "parallel": { "a": [{ "foreach": { "in": [1], "as": "x", "steps": [{ RUN }] } }] }, "catch": [{ "errors": ["CHILDREN_FAILED"], "steps": [{ ON }] }] }',
  ),
  flow(
    '{ "dynamic": { "steps": "{% size %}" }, "catch": [{ "errors": ["A"], "steps": [{ ON }] }] }',
  ),
  flow('{ "loop": { "max": 2, "until": true, "steps": [{ MAKE, UNDO }, { RUN }] } }'),
  flow('{ "set": { "a": "no {% expression %}, but text" } }'),
];

describe('a flow that cannot work', () => {
  it.each(PROBLEMS)('%s is %s', (marked, code, ...[pointer, words = '']) => {
    const { text, ...place } = unmarked(marked);
    const message: unknown = expect.stringContaining(words);
    const finding = { code, pointer: `/f${pointer}`, ...place, message, hint: expect.any(String) };
    expect(parseFlowFile(text)).toMatchObject({ flows: [], problems: [finding] });
  });
});

describe('a flow that may surprise its author', () => {
  it.each(WARNINGS)('%s has the warning %s', (marked, code, ...[pointer, words = '']) => {
    const { text, ...place } = unmarked(marked);
    const message: unknown = expect.stringContaining(words);
    const finding = { code, pointer: `/f${pointer}`, ...place, message, hint: expect.any(String) };
    const { problems, warnings } = validateFlowText(text);
    expect(problems).toEqual([]);
    expect(warnings.filter((each) => each.code === code)).toEqual([finding]);
    const others =
      code === 'IRREVERSIBLE_LOOP' ? [] : warnings.filter((each) => each.code !== code);
    expect(others).toEqual([]);
  });
});

describe('a flow that is as it should be', () => {
  it.each(SOUND)('%s has neither problems nor warnings', (text) => {
    expect(validateFlowText(text)).toEqual({ valid: true, problems: [], warnings: [] });
  });

  it('reads any parameter where a request may send anything', () => {
    const open = flow('{ "set": { "a": "{% b %}" } }').replace(
      '"properties"',
      '"additionalProperties": true, "properties"',
    );
    expect(validateFlowText(open).warnings).toEqual([]);
  });
});

const EACH = '"name": "f", "foreach": { "in": [1], "as": "i", "steps": [{ RUN }] }';
const LISTS = '"constants": { "some": [{ "y": 1 }], "one": { "y": 1 } },';

describe('a value that is handed on', () => {
  const codesOf = (text: string) => validateFlowText(text).warnings.map(({ code }) => code);

  it.each([
    '{ "set": { "a": ["{% size[x = 1] %}"] } }',
    '{ "set": { "a": "{% some.y %}" } }',
    '{ "normal": { "module": "m", "command": "check", "parameters": { "a": "{% size[x = 1].y %}" } } }',
    '{ RUN, "rollback": { "module": "m", "command": "undo", "parameters": { "a": "{% size[x = 1] %}" } } }',
    '{ "flow": { "name": "g", "parameters": { "a": "{% size[x = 1] %}" } } }',
    '{ "foreach": { "in": [1], "as": "i", "flow": "g", "parameters": { "a": "{% size[x = i] %}" } } }',
    '{ "succeed": { "output": { "a": "{% size[x = 1] %}" } } }',
    `{ ${EACH} }, { "set": { "a": "{% $steps.f.results.taskId %}" } }`,
    `{ ${EACH} }, { "set": { "a": "{% f.results.output.x %}" } }`,
  ])('changes its type with what is found: %s', (steps) => {
    expect(codesOf(flow(steps, LISTS))).toEqual(['VARYING_RESULT']);
  });

  it.each([
    '{ "set": { "a": ["{% [size[x = 1]] %}"] } }',
    '{ "set": { "a": "{% one.y %}", "b": "{% some[0].y %}", "c": "{% size.y %}" } }',
    '{ "if": "{% $exists(size[x = 1]) %}", ON }',
    '{ "foreach": { "in": "{% some[y = 1] %}", "as": "i", "steps": [{ RUN }] } }',
  ])('is of one type: %s', (steps) => {
    expect(codesOf(flow(steps, LISTS))).toEqual([]);
  });
});

it.each([
  [
    '{ "name": "send-mail", ON }, { "set": { "a": "{% $steps.send-mail.id %}" } }',
    '$steps.`send-mail`',
  ],
  ['{ "name": "v1.x", ON }, { "set": { "a": "{% $steps.v1.x %}" } }', '$steps.`v1.x`'],
  ['{ "set": { "a": "{% cpu-count %}" } }', '`cpu-count`'],
  ['{ "set": { "a": "{% $input.cpu-count %}" } }', '$input.`cpu-count`'],
])('tells how to write a name with a sign in it: %s', (steps, written) => {
  const text = flow(steps).replace('"size"', '"cpu-count": {}, "size"');
  const { problems, warnings } = validateFlowText(text);
  const hints = [...problems, ...warnings].map(({ hint }) => hint);
  expect(hints).toContainEqual(expect.stringContaining(`Write ${written}: a name with`));
});

it('a flow may have two thousand different expressions, and one as often as it likes', () => {
  const values = (count: number) => Array.from({ length: count }, (_, i) => `"{% ${i} %}"`).join();
  const read = (count: number) => {
    return validateFlowText(flow(`{ "set": { "a": [${values(count)},${values(9)}] } }`)).problems;
  };
  expect(read(2_000)).toEqual([]);
  expect(read(2_002)).toMatchObject([{ code: 'TOO_MANY_EXPRESSIONS', pointer: '/f' }]);
});
