import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { faultsOfRun } from '../check-definition.js';
import type { KnownCommands } from '../known-commands.js';
import { parseFlowFile, validateFlowText } from '../parse-flow-file.js';

/** Module `m`: `sleep` and `nap` require `ms`, `look` requires nothing, `odd` has no schema. */
const COMMANDS: KnownCommands = {
  modules: () => ['m'],
  commands: () => ['sleep', 'nap', 'look', 'odd'],
  schemas: (_module, command) => {
    if (command === 'odd') return [];
    const required = command === 'look' ? {} : { required: ['ms'] };
    return [{ properties: { ms: { type: 'integer' } }, ...required }];
  },
};

const SHORT: readonly (readonly [RegExp, string])[] = [
  [/\bSLEEP\b/g, '"normal": { "module": "m", "command": "sleep" }'],
  [/\bGIVEN\b/g, '"normal": { "module": "m", "command": "sleep", "parameters": { "ms": 1 } }'],
  [/\bLOOK\b/g, '"normal": { "module": "m", "command": "look" }'],
  [/\bODD\b/g, '"normal": { "module": "m", "command": "odd" }'],
  [/\bNAP\b/g, '"rollback": { "module": "m", "command": "nap" }'],
  [/\bMS\b/g, '"set": { "ms": 5 }'],
];

const EMPTY = '"input": {}';

function flow(steps: string, members = EMPTY): string {
  const long = SHORT.reduce((all, [short, text]) => all.replace(short, text), steps);
  return `{ "f": { ${members}, "steps": [${long}] } }`;
}

/** Findings on parameters, each as `code pointer`, and all problems. */
function found(text: string, commands = COMMANDS): readonly string[] {
  const { problems, warnings } = validateFlowText(text, { commands });
  const known = ['MISSING_PARAMETER', 'UNCERTAIN_PARAMETER'];
  const told = warnings.filter(({ code }) => known.includes(code));
  return [...problems, ...told].map(({ code, pointer }) => `${code} ${pointer.slice(3)}`);
}

const missing = (pointer: string): string => `MISSING_PARAMETER ${pointer}`;
const uncertain = (pointer: string): string => `UNCERTAIN_PARAMETER ${pointer}`;

type Case = readonly [what: string, text: string, findings: readonly string[]];

const declared = '"properties": { "ms": { "type": "integer" } }';
const AT = 'steps/0/normal';

const FORWARD: readonly Case[] = [
  ['nothing gives', flow('{ SLEEP }'), [missing(AT)]],
  [
    'a closed input does not have',
    flow('{ SLEEP }', '"input": { "properties": {}, "additionalProperties": false }'),
    [missing(AT)],
  ],
  [
    'a closed input of several parts does not have',
    flow('{ SLEEP }', '"input": { "allOf": [{ "properties": { "a": {} } }] }'),
    [missing(AT)],
  ],
  ['is of the action', flow('{ GIVEN }'), []],
  ['is a constant', flow('{ SLEEP }', `${EMPTY}, "constants": { "ms": 1 }`), []],
  ['each request has', flow('{ SLEEP }', `"input": { ${declared}, "required": ["ms"] }`), []],
  ['a request may leave out', flow('{ SLEEP }', `"input": { ${declared} }`), [uncertain(AT)]],
  [
    'a condition may ask for',
    flow('{ "if": "{% $exists(ms) %}", SLEEP }', `"input": { ${declared} }`),
    [],
  ],
  [
    'a case may ask for',
    flow(
      '{ "choice": [{ "when": "{% $exists(ms) %}", "steps": [{ SLEEP }] }] }',
      `"input": { ${declared} }`,
    ),
    [],
  ],
  ['an open input may have', flow('{ SLEEP }', '"input": { "additionalProperties": true }'), []],
  [
    'a flow without input may have',
    '{ "f": [{ "normal": { "module": "m", "command": "sleep" } }] }',
    [],
  ],
  ['a step has set', flow('{ MS }, { SLEEP }'), []],
  ['a later step sets', flow('{ SLEEP }, { MS }'), [missing(AT)]],
  [
    'a step beside it sets',
    flow('{ "needs": [], MS }, { "needs": [], SLEEP }'),
    [missing('steps/1/normal')],
  ],
  ['an earlier command may return', flow('{ LOOK }, { SLEEP }'), [uncertain('steps/1/normal')]],
  [
    'an earlier command may return or a request have',
    flow('{ LOOK }, { SLEEP }', `"input": { ${declared} }`),
    [],
  ],
  ['an unknown command requires', flow('{ ODD }'), []],
  ['lacks even under a condition', flow('{ "if": "{% false %}", SLEEP }'), [missing(AT)]],
];

const PLACES: readonly Case[] = [
  ['a group', flow('{ "group": [{ SLEEP }] }'), [missing('steps/0/group/0/normal')]],
  [
    'a group that sees what is set around it',
    flow('{ MS }, { "group": [{ "group": [{ SLEEP }] }] }'),
    [],
  ],
  [
    'a group whose value is it',
    flow('{ "retry": { "forEach": [1], "as": "ms" }, "group": [{ SLEEP }] }'),
    [],
  ],
  [
    'a step after a group that sets it for itself',
    flow('{ "name": "g", "group": [{ MS }] }, { SLEEP }'),
    [missing('steps/1/normal')],
  ],
  [
    'otherwise',
    flow('{ "choice": [{ "when": true, "steps": [{ MS }] }], "otherwise": [{ SLEEP }] }'),
    [missing('steps/0/otherwise/0/normal')],
  ],
  [
    'one branch, set in another',
    flow('{ "parallel": { "a": [{ MS }], "b": [{ SLEEP }] } }'),
    [missing('steps/0/parallel/b/0/normal')],
  ],
  [
    'the first round, set later in it',
    flow('{ "loop": { "max": 2, "until": true, "steps": [{ SLEEP }, { MS }] } }'),
    [missing('steps/0/loop/steps/0/normal')],
  ],
  [
    'rounds after the first',
    flow(
      '{ "loop": { "max": 2, "until": true, "steps": [{ "if": "{% $index > 0 %}", SLEEP }, { MS }] } }',
    ),
    [],
  ],
  [
    'a child task whose item is it',
    flow('{ "foreach": { "in": [1], "as": "ms", "steps": [{ SLEEP }] } }'),
    [],
  ],
  [
    'a child task',
    flow('{ "foreach": { "in": [1], "as": "x", "steps": [{ SLEEP }] } }'),
    [missing('steps/0/foreach/steps/0/normal')],
  ],
  [
    'a catch',
    flow(
      '{ "wait": { "for": 1 }, "catch": [{ "errors": ["*"], "as": "ms", "steps": [{ SLEEP }] }, { "errors": ["*"], "steps": [{ SLEEP }] }] }',
    ),
    [missing('steps/0/catch/1/steps/0/normal')],
  ],
];

const BACK: readonly Case[] = [
  ['its forward action gives', flow('{ GIVEN, NAP }'), []],
  [
    'its forward action requires as well',
    flow('{ SLEEP, NAP }', `"input": { ${declared} }`),
    [uncertain(AT)],
  ],
  [
    'only the output of its own step may give',
    flow('{ LOOK, NAP }'),
    [uncertain('steps/0/rollback')],
  ],
  [
    'it gives itself',
    flow('{ LOOK, "rollback": { "module": "m", "command": "nap", "parameters": { "ms": 1 } } }'),
    [],
  ],
  ['its own values have', flow('{ MS, NAP }'), []],
  [
    'its own wait does not have',
    flow('{ "wait": { "for": 1 }, NAP }'),
    [missing('steps/0/rollback')],
  ],
  [
    'a request may leave out',
    flow('{ "wait": { "for": 1 }, NAP }', `"input": { ${declared} }`),
    [uncertain('steps/0/rollback')],
  ],
];

describe('a parameter that a command requires', () => {
  it.each(FORWARD)('that %s', (_what, text, findings) => {
    expect(found(text)).toEqual(findings);
  });

  it.each(PLACES)('is looked for in %s', (_what, text, findings) => {
    expect(found(text)).toEqual(findings);
  });

  it.each(BACK)('of a rollback, that %s', (_what, text, findings) => {
    expect(found(text)).toEqual(findings);
  });

  it('is required only if every build requires it', () => {
    const builds = (...schemas: readonly JsonObject[]): KnownCommands => {
      return { ...COMMANDS, schemas: () => schemas };
    };
    const demanding = { required: ['ms'] };
    expect(found(flow('{ SLEEP }'), builds(demanding, { required: ['ms', 'x'] }))).toHaveLength(1);
    expect(found(flow('{ SLEEP }'), builds(demanding, {}))).toEqual([]);
    expect(found(flow('{ SLEEP }'), builds())).toEqual([]);
  });

  it('of a rollback inherited from the defaults of its command is looked for as well', () => {
    const rollback = { module: 'm', command: 'nap' };
    const defaults = [{ module: 'm', command: 'look', defaults: { rollback } }];
    const { warnings } = validateFlowText(flow('{ LOOK }'), {
      commands: COMMANDS,
      defaults: defaults as never,
    });
    expect(warnings.map(({ code }) => code)).toEqual(['UNCERTAIN_PARAMETER']);
  });

  it('keeps a task of a stored flow from being started when nothing gives it', () => {
    const definitionOf = (steps: string) => parseFlowFile(flow(steps)).flows[0]!.definition;
    expect(faultsOfRun(definitionOf('{ LOOK, NAP }'), COMMANDS)).toEqual([]);
    expect(faultsOfRun(definitionOf('{ "group": [{ "name": "rest", SLEEP }] }'), COMMANDS)).toEqual(
      [
        {
          code: 'MISSING_PARAMETER',
          message: 'Step `rest`, normal: `m.sleep` requires `ms`, and nothing gives it.',
          hint: 'Add `ms` to `parameters` of the action, to `input` or to `constants`.',
        },
      ],
    );
  });
});

const HINTS: readonly (readonly [string, string, string])[] = [
  [
    'names the output of an earlier command',
    flow('{ "name": "find-it", LOOK }, { SLEEP }'),
    'If `find-it` returns it, write "parameters": {"ms": "{% $steps.`find-it`.ms %}"}; else add it to `input` or `constants`.',
  ],
  [
    'names a value under the name of its step',
    flow('{ "name": "pick", "group": [{ MS }] }, { SLEEP }'),
    'Did you mean "parameters": {"ms": "{% pick.ms %}"}?',
  ],
  [
    'names a parameter that is spelt otherwise',
    flow('{ "normal": { "module": "m", "command": "sleep", "parameters": { "m": 1 } } }'),
    'Did you mean `ms` by `m`?',
  ],
];

const MEANT: readonly (readonly [string, string, string])[] = [
  [
    'a case',
    '{ "name": "pick", "choice": [{ "when": true, "steps": [{ "set": { "gpu": 1 } }] }] }',
    'pick.gpu',
  ],
  [
    'a command in a case',
    '{ "name": "pick", "choice": [{ "when": true, "steps": [{ LOOK }] }] }',
    'pick.gpu',
  ],
  ['a branch', '{ "name": "p", "parallel": { "a-b": [{ "set": { "gpu": 1 } }] } }', 'p.`a-b`.gpu'],
  [
    'a round',
    '{ "name": "l", "loop": { "max": 2, "until": true, "steps": [{ "name": "g", "group": [{ "set": { "gpu": 1 } }] }] } }',
    'l.g.gpu',
  ],
  ['a signal', '{ "name": "paid", "wait": { "signal": "x" } }', 'paid.gpu'],
  ['a parameter of nearly this name', '{ "set": { "gpus": 1 } }', 'gpus'],
  [
    'the nearest of those that have it',
    '{ "set": { "cpu": 1 } }, { "name": "g", "group": [{ "set": { "gpu": 1 } }] }',
    'g.gpu',
  ],
];

describe('the hint', () => {
  const hintOf = (text: string): string | undefined => {
    const { problems, warnings } = validateFlowText(text, { commands: COMMANDS });
    return [...problems, ...warnings][0]?.hint;
  };

  it.each(HINTS)('%s', (_what, text, hint) => {
    expect(hintOf(text)).toBe(hint);
  });

  it.each(MEANT)('of an expression that reads an unknown name means %s', (_what, steps, meant) => {
    expect(hintOf(flow(`${steps}, { "set": { "a": "{% gpu %}" } }`))).toBe(
      `Did you mean \`${meant}\`?`,
    );
  });
});
