import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { faultsOfRun } from './check-definition.js';
import type { KnownCommands } from './known-commands.js';
import { parseFlowFile, validateFlowText } from './parse-flow-file.js';

const SIZE: JsonObject = {
  type: 'object',
  properties: {
    cpu: { type: 'integer', minimum: 1 },
    zone: { type: ['string', 'null'] },
    disk: { type: 'object', properties: { gib: { type: 'number' } }, required: ['gib'] },
  },
  required: ['cpu'],
};

/** A request may send anything. */
const OPEN: JsonObject = { additionalProperties: true };

/** Module `m` with `make` and `unmake`, which take a size. */
function knowing(
  schemas: readonly JsonObject[] = [SIZE],
  more: Partial<KnownCommands> = {},
): KnownCommands {
  const commands = () => ['make', 'unmake'];
  return { modules: () => ['m'], commands, schemas: () => schemas, ...more };
}

/** A flow `f` whose one step makes something with these constants, and unmakes it with those. */
function flowWith(constants: object, undoing: object = {}): string {
  const normal = { module: 'm', command: 'make', parameters: constants };
  const rollback = { module: 'm', command: 'unmake', parameters: undoing };
  return JSON.stringify({ f: { input: OPEN, steps: [{ normal, rollback }] } });
}

const problemsOf = (text: string, commands: KnownCommands) =>
  validateFlowText(text, { commands }).problems.map(({ code, pointer }) => `${code} ${pointer}`);

it('commands are judged also in a flow that is not well formed', () => {
  const inner = [{ normal: { module: 'm', command: 'make', tries: 1 } }, { normal: null }, 7];
  const steps = [
    {
      naem: 'a',
      normal: { module: 'm', command: 'mkae' },
      rollback: { module: 'n', command: 'x' },
    },
    { parallel: { left: [{ normal: { module: 'n/', command: 'x' } }], right: inner } },
  ];
  for (const [flow, at] of [
    [steps, '/f'],
    [{ steps }, '/f/steps'],
  ] as const) {
    expect(problemsOf(JSON.stringify({ f: flow }), knowing())).toEqual(
      expect.arrayContaining([
        `UNKNOWN_MEMBER ${at}/0/naem`,
        `UNKNOWN_COMMAND ${at}/0/normal/command`,
        `UNKNOWN_MODULE ${at}/0/rollback/module`,
        `UNKNOWN_MODULE ${at}/1/parallel/left/0/normal/module`,
        `UNKNOWN_MEMBER ${at}/1/parallel/right/0/normal/tries`,
      ]),
    );
  }
});

describe('constants of an action', () => {
  const at = (path: string) => `WRONG_CONSTANT /f/steps/0/normal/parameters/${path}`;

  it.each<[string, object, readonly string[]]>([
    ['that the command takes', { cpu: 1, zone: null, disk: { gib: 0.5 } }, []],
    ['of which some come from elsewhere', { zone: 'a' }, []],
    ['that the command does not look at', { memory: 'much' }, []],
    ['of another type', { cpu: 'two', zone: 7 }, [at('cpu'), at('zone')]],
    ['out of range', { cpu: 0 }, [at('cpu')]],
    ['that lack something within', { disk: {} }, [at('disk/gib')]],
    ['that an expression gives', { cpu: '{% n %}', zone: 'a' }, []],
    ['with an expression within', { disk: { gib: '{% n %}' } }, []],
  ])('%s', (_what, constants, problems) => {
    expect(problemsOf(flowWith(constants), knowing())).toEqual(problems);
  });

  it('of a rollback are wrong only where it cannot do without them', () => {
    const wrong = flowWith({}, { cpu: 'two', zone: 7 });
    expect(problemsOf(wrong, knowing())).toEqual([
      'WRONG_CONSTANT /f/steps/0/rollback/parameters/cpu',
    ]);
  });

  it('are right if one of the builds that run takes them, or does not say', () => {
    const other: JsonObject = { properties: { cpu: { type: 'string' } } };
    expect(problemsOf(flowWith({ cpu: 'two' }), knowing([SIZE, other]))).toEqual([]);
    expect(problemsOf(flowWith({ cpu: true }), knowing([SIZE, other]))).toEqual([at('cpu')]);
    expect(problemsOf(flowWith({ cpu: true }), knowing([]))).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['refers to what is not there', { properties: { cpu: { $ref: '#/$defs/x' } } }],
    ['refers to itself without end', { properties: { cpu: {} }, $ref: '#' }],
  ])('are not refused for a schema that %s', (_why, schema) => {
    expect(problemsOf(flowWith({ cpu: 'two' }), knowing([schema]))).toEqual([]);
  });

  it('say what is wrong without the constant itself', () => {
    const [problem] = validateFlowText(flowWith({ cpu: 'hunter2' }), {
      commands: knowing(),
    }).problems;
    expect(problem?.message).toBe('`cpu` must be a whole number, but is text.');
    expect(JSON.stringify(problem)).not.toContain('hunter2');
  });
});

describe('a module that nobody serves', () => {
  const text = JSON.stringify({
    f: { input: {}, steps: [{ normal: { module: 'away', command: 'x' }, rollback: null }] },
  });

  it('is a problem where all are known, and else a warning', () => {
    expect(problemsOf(text, knowing())).toEqual(['UNKNOWN_MODULE /f/steps/0/normal/module']);
    const partly = validateFlowText(text, { commands: knowing([], { isPartial: true }) });
    expect(partly).toMatchObject({
      valid: true,
      warnings: [{ code: 'UNKNOWN_MODULE', pointer: '/f/steps/0/normal/module' }],
    });
  });
});

describe('parameters that a command calls deprecated', () => {
  const OLD: JsonObject = { properties: { cpu: {}, cores: { deprecated: true } } };
  const warningsOf = (schemas: readonly JsonObject[]) => {
    const text = flowWith({ cores: '{% 2 %}', cpu: 1 }, { cores: 3 });
    const { problems, warnings } = validateFlowText(text, { commands: knowing(schemas) });
    expect(problems).toEqual([]);
    return warnings.map(({ code, message, pointer }) => `${code} ${pointer} ${message}`);
  };

  it('have a warning each, in both halves', () => {
    expect(warningsOf([OLD])).toEqual([
      'DEPRECATED_MEMBER /f/steps/0/normal/parameters/cores `m.make` calls `cores` deprecated.',
      'DEPRECATED_MEMBER /f/steps/0/rollback/parameters/cores `m.unmake` calls `cores` deprecated.',
    ]);
  });

  it('have none while one of the builds that run does not call them so', () => {
    expect(warningsOf([OLD, { properties: { cores: {} } }])).toEqual([]);
    expect(warningsOf([])).toEqual([]);
  });
});

describe('a flow that was stored', () => {
  const step = (command: string, parameters: object = {}) => {
    return { normal: { module: 'm', command, parameters }, rollback: null };
  };
  const definitionOf = (steps: readonly object[]) => {
    const [flow] = parseFlowFile(JSON.stringify({ f: { input: {}, steps } })).flows;
    return flow!.definition;
  };

  it('is looked through as deep as its steps go', () => {
    const choice = [{ name: 'yes', when: '{% true %}', steps: [step('make', { cpu: 'two' })] }];
    const definition = definitionOf([
      step('make', { cpu: 1 }),
      { name: 'inner', group: [step('mak'), { name: 'which', choice }] },
    ]);
    expect(faultsOfRun(definition, knowing())).toMatchObject([
      {
        code: 'UNKNOWN_COMMAND',
        message: 'Step `mak`, normal/command: Module `m` has no command `mak`.',
        hint: 'Did you mean `make`?',
      },
      {
        code: 'WRONG_CONSTANT',
        message: 'Step `make`, normal/parameters/cpu: `cpu` must be a whole number, but is text.',
      },
    ]);
  });

  it('has no fault for a module whose executors may be away', () => {
    const definition = definitionOf([step('make')]);
    const known = knowing([], { modules: () => [], isPartial: true });
    expect(faultsOfRun(definition, known)).toEqual([]);
    expect(faultsOfRun(definition, { ...known, isPartial: false })).toMatchObject([
      { code: 'UNKNOWN_MODULE' },
    ]);
  });

  it('has so many faults at most as a person mends at once', () => {
    const steps = Array.from({ length: 50 }, (_, n) => ({ name: `s${n}`, ...step('none') }));
    expect(faultsOfRun(definitionOf(steps), knowing())).toHaveLength(20);
  });
});
