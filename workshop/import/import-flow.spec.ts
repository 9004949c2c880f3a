import { readFileSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '#core';
import { ExpressionEvaluator } from '#expressions';
import { SystemClock } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../test/fuzz/budget.js';
import { STATE_MACHINES } from '../../test/fixtures/flow-import/state-machines.js';
import { WORKFLOWS } from '../../test/fixtures/flow-import/workflows.js';
import { importFlow, type Imported, type Source } from './import-flow.js';
import { type Note, NOTE_CODES, NotImportable } from './names.js';
import { sampleScenario } from './sample-scenario.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

/** Imported flows that were reviewed by eye, by source and sample. */
const EXPECTED = JSON.parse(
  readFileSync(
    new URL('../../test/fixtures/flow-import/expected-flows.json', import.meta.url),
    'utf8',
  ),
) as Record<string, Record<string, unknown>>;

function imported(from: Source, definition: unknown): Imported {
  return importFlow({ from, definition: definition as JsonValue, name: 'sample', module: 'shop' });
}

function refusal(from: Source, definition: unknown): readonly Note[] {
  try {
    imported(from, definition);
  } catch (error) {
    if (error instanceof NotImportable) return error.notes;
    throw error;
  }
  throw new Error('it was imported');
}

const SCENE = {
  ...{ parameters: {}, input: {}, steps: {}, states: {}, index: null, now: 0 },
  task: { id: 't', flow: 'f', version: 1, labels: {}, createdAt: 0 },
};

const { poll, ...machines } = STATE_MACHINES;
const { twice, ...workflows } = WORKFLOWS;

describe.each([
  ['conductor', Object.entries(workflows)],
  ['asl', Object.entries(machines)],
] as const)('what is imported from %s', (from, samples) => {
  it.each([...samples] as [string, unknown][])(
    '%s is the flow that is expected',
    (name, definition) => {
      const { flow, notes } = imported(from, definition);
      const told = notes.map(({ code, pointer }) => `${code} ${pointer}`);
      expect({ flow, notes: told }).toEqual(EXPECTED[from]?.[name]);
    },
  );
});

it.each([
  [
    'the number of its round',
    "if ($.l['iteration'] < 3) { true; } else { false; }",
    '($index + 1) < 3',
  ],
  ['its round by an input', '$.round < 3', '($index + 1) < 3'],
  ['the output of a task of the round', "$.a['x'] != 'done'", '$steps.a.x != "done"'],
  [
    'the output of a task as Mojito writes it',
    "if($.a.output.status!='success'){true}else{false}",
    '$steps.a.status != "success"',
  ],
  ['the output of a child task', "$.sub['x'] > 1", '$steps.sub.output.x > 1'],
  ['the answer to a request', '$.http.response.body.more', '$steps.http.body.more'],
])('carries a loop that reads %s', (_what, loopCondition, code) => {
  const { flow, notes } = imported('conductor', {
    name: 'w',
    tasks: [
      {
        ...{ name: 'l', taskReferenceName: 'l', type: 'DO_WHILE', loopCondition },
        inputParameters: { round: '${l.output.iteration}' },
        loopOver: [
          { name: 'a', taskReferenceName: 'a', inputParameters: { page: '${l.output.iteration}' } },
          { name: 'http', taskReferenceName: 'http', type: 'HTTP', inputParameters: {} },
          {
            name: 's',
            taskReferenceName: 'sub',
            type: 'SUB_WORKFLOW',
            subWorkflowParam: { name: 's' },
          },
        ],
      },
    ],
  });
  const steps = [{ name: 'a', normal: { parameters: { page: '{% ($index + 1) %}' } } }, {}, {}];
  const loop = { steps, while: `{% ${code} %}` };
  expect(flow).toMatchObject({ w: { steps: [{ loop }] } });
  expect(notes.filter((note) => note.code === 'EXPRESSION_NOT_CARRIED')).toEqual([]);
});

it('hands on what tasks in branches and rounds gave, where later ones read it', () => {
  const task = (name: string, r = ''): JsonObject => {
    return { name, taskReferenceName: name, inputParameters: { r } };
  };
  const loop = { ...task('l'), type: 'DO_WHILE', loopCondition: '$.l.iteration < 3' };
  const { flow } = imported('conductor', {
    name: 'w',
    tasks: [
      { ...task('f'), type: 'FORK_JOIN', forkTasks: [[task('x')], [task('y')]] },
      { ...task('j'), type: 'JOIN', joinOn: ['x', 'y'] },
      { ...loop, loopOver: [task('z')] },
      task('end', '${x.output.r} ${j.output.y.r} ${z.output.r}'),
    ],
  });
  const shown = (name: string): object => ({ set: { [name]: `{% $steps.${name} %}` } });
  const read = '$steps.f.`branch-1`.x.r & " " & $steps.f.`branch-2`.y.r & " " & $steps.l.z.r';
  expect(flow).toMatchObject({
    w: {
      steps: [
        { parallel: { 'branch-1': [{}, shown('x')], 'branch-2': [{}, shown('y')] } },
        { loop: { steps: [{}, shown('z')] } },
        { normal: { parameters: { r: `{% ${read} %}` } } },
      ],
    },
  });
});

it('refuses a way back and says where it is', () => {
  expect(refusal('asl', poll)).toMatchObject([{ code: 'JUMP_BACK', pointer: '/States/Ready?' }]);
});

it('reads an entry of what a map gave as the list that it is', async () => {
  const Item = { Type: 'Pass', End: true };
  const Parameters = { 'a.$': '$.m[1].q', 'b.$': '$.m[0]' };
  const { flow } = imported('asl', {
    StartAt: 'M',
    States: {
      M: {
        ...{ Type: 'Map', ItemsPath: '$.l', ResultPath: '$.m', Next: 'P' },
        ItemProcessor: { StartAt: 'I', States: { I: Item } },
      },
      P: { Type: 'Pass', Parameters, End: true },
    },
  });
  const { steps } = flow['sample'] as { readonly steps: readonly JsonObject[] };
  const results = [{ q: 7 }, { q: 8 }].map((result) => ({ output: { result } }));
  const members = [{ name: 'm', template: steps[1]?.['set'] ?? null, as: 'json' }] as const;
  const evaluator = new ExpressionEvaluator({ clock: new SystemClock() });
  const scene = { ...SCENE, steps: { M: { results } } };
  expect(await evaluator.answer({ members, scene })).toEqual({
    values: { m: { a: 8, b: { q: 7 } } },
  });
  await evaluator.close();
});

it('splits at each character of a separator, as a state machine does', () => {
  const split = (by: string): unknown => {
    const Parameters = { 'a.$': `States.StringSplit($.t, ${by})` };
    const definition = { StartAt: 'P', States: { P: { Type: 'Pass', Parameters, End: true } } };
    const { flow, notes } = imported('asl', definition);
    return [flow, notes.map(({ code }) => code)];
  };
  const code = (text: string): unknown => {
    return expect.objectContaining({
      sample: expect.objectContaining({ steps: [{ name: 'P', set: { a: `{% ${text} %}` } }] }),
    });
  };
  expect(split("','")).toEqual([code('$split($input.t, ",")'), []]);
  expect(split("',]'")).toEqual([code('$split($input.t, /[,\\]]/)'), []]);
  expect(split('$.by')).toEqual([expect.anything(), ['EXPRESSION_NOT_CARRIED']]);
});

it('refuses two tasks of one name', () => {
  expect(refusal('conductor', twice)).toMatchObject([
    { code: 'NOT_THE_FORMAT', pointer: '/tasks/1' },
  ]);
});

it.each(['conductor', 'asl'] as const)('refuses JSON that is nothing of %s', (from) => {
  for (const value of [null, 1, 'text', [], {}, [1], { States: {}, tasks: [] }]) {
    expect(refusal(from, value).at(-1)).toMatchObject({ code: 'NOT_THE_FORMAT' });
  }
});

it('refuses ways that would be copied beyond what a flow may have', () => {
  const States: Record<string, object> = { end: { Type: 'Pass', End: true } };
  for (let n = 0; n < 12; n += 1) {
    const after = n === 0 ? 'end' : `a${n - 1}`;
    const Resource = 'arn:aws:lambda:e:1:function:f';
    const Catch = [{ ErrorEquals: ['States.ALL'], Next: after }];
    States[`a${n}`] = { Type: 'Task', Resource, Catch, Next: `b${n}` };
    States[`b${n}`] = { Type: 'Task', Resource, Next: after };
  }
  const notes = refusal('asl', { StartAt: 'a11', States });
  expect(notes.at(-1)).toMatchObject({ code: 'TOO_LARGE' });
});

const words = fc.constantFrom(
  ...['Task', 'Choice', 'Map', 'Pass', 'a', 'b', '$.x', '$$.x', '${a.output.b}', '{% $x %}', ''],
  ...['SIMPLE', 'SWITCH', 'FORK_JOIN', 'DO_WHILE', 'WAIT', '__proto__', 'States.Format("{}", $.a)'],
);
const keys = fc.constantFrom(
  ...['StartAt', 'States', 'Type', 'Next', 'Choices', 'Catch', 'Retry', 'Resource', 'Branches'],
  ...[
    'tasks',
    'type',
    'taskReferenceName',
    'inputParameters',
    'decisionCases',
    'loopOver',
    'a',
    'b',
  ],
  ...['forkTasks', 'loopCondition', 'Parameters', 'ResultPath', 'Iterator', 'End', 'name', 'x.$'],
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 7 },
    words,
    fc.constantFrom(null, true, 0, 3, -1, 1e300),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(keys, tie('tree'), { maxKeys: 6 }),
  ),
}));

/** Samples with one of their values changed, and any JSON made of the words of both formats. */
const definitions = fc.oneof(
  tree,
  fc
    .tuple(
      fc.constantFrom<unknown>(...Object.values(STATE_MACHINES), ...Object.values(WORKFLOWS)),
      fc.nat(200),
      tree,
    )
    .map(([sample, place, value]) => {
      let count = 0;
      return JSON.parse(JSON.stringify(sample), (_, old) => (count++ === place ? value : old));
    }),
);

it('makes of any JSON a flow, or says in the one way why not', () => {
  const property = fc.property(
    definitions,
    fc.constantFrom<Source>('asl', 'conductor'),
    (definition, from) => {
      try {
        const { flow, notes } = imported(from, definition);
        expect(Object.keys(flow).length).toBeGreaterThan(0);
        expect(notes.filter(({ code }) => !Object.hasOwn(NOTE_CODES, code))).toEqual([]);
        for (const one of Object.values(flow)) {
          expect(sampleScenario(one as JsonObject, new Set())).toHaveProperty('parameters');
        }
      } catch (error) {
        expect(error).toBeInstanceOf(NotImportable);
      }
    },
  );
  fc.assert(property, fuzzBudget(500));
});

it.each(['{% $now() %}', ' {%%}\n', '{% "a" %} and {% "b" %}', '{% "%} \\ \' %}'])(
  'keeps the text %j, which is no expression in its source',
  async (text) => {
    const given = { text, list: [text], more: 'x' };
    const simple = { name: 't', taskReferenceName: 't', type: 'SIMPLE', inputParameters: given };
    const Resource = 'arn:aws:lambda:e:1:function:f';
    const States = { t: { Type: 'Task', Resource, Parameters: given, End: true } };
    const made = [
      imported('conductor', { name: 'w', tasks: [simple] }),
      imported('asl', { StartAt: 't', States }),
    ];
    const evaluator = new ExpressionEvaluator({ clock: new SystemClock() });
    for (const { flow } of made) {
      const [{ steps }] = Object.values(flow) as [{ steps: [{ normal: JsonObject }] }];
      const template = steps[0].normal['parameters']!;
      const question = { members: [{ name: 'm', template, as: 'json' as const }], scene: SCENE };
      expect(await evaluator.answer(question)).toEqual({ values: { m: given } });
    }
    await evaluator.close();
  },
);

it('makes a sample of what the conditions of a flow compare with', () => {
  const steps = [
    { name: 'a', normal: { module: 'm', command: 'a' } },
    {
      name: 'b',
      choice: [{ when: '{% $input.kind = "x\ny" and $input.size >= 007 %}', steps: [] }],
    },
    { name: 'c', foreach: { in: '{% $input.hosts %}', as: 'host', steps: [] } },
    { name: 'd', wait: { until: '{% $steps.a.due %}' } },
    { name: 'e', flow: { name: 'other' }, if: '{% $steps.e.output.ready %}' },
    { name: 'f', set: { text: '{% $input.user.name %}', sum: '{% $input.price * 2 %}' } },
  ];
  expect(sampleScenario({ steps }, new Set())).toEqual({
    parameters: { kind: 'x\ny', size: 7, hosts: ['sample'], user: { name: 'sample' }, price: 1 },
    answers: { a: { output: { due: '2030-01-02T00:00:00Z' } }, e: { output: { ready: true } } },
  });
});
