import { expect, it } from '@jest/globals';
import type { KnownCommands } from '../known-commands.js';
import { parseFlowFile } from '../parse-flow-file.js';

const COMMANDS: KnownCommands = {
  modules: () => ['m', 'http'],
  commands: () => ['run', 'undo', 'request'],
  schemas: (_module, command) => [
    {
      properties: { size: { type: ['integer', 'null'] }, any: {}, bag: { type: 'object' } },
      ...(command === 'undo' && { required: ['size'] }),
    },
  ],
};

/** Pointers of the outputs that are taken by accident. */
function taken(...steps: readonly object[]): readonly string[] {
  const text = JSON.stringify({ f: { input: { properties: {} }, steps } });
  const { flows, problems } = parseFlowFile(text, { commands: COMMANDS });
  expect(problems).toEqual([]);
  const warnings = flows.flatMap((flow) => flow.warnings);
  return warnings.filter(({ code }) => code === 'OUTPUT_AS_PARAMETER').map((one) => one.pointer);
}

const action = (command: string, parameters?: object) => {
  return { module: command === 'request' ? 'http' : 'm', command, parameters };
};
const run = (parameters?: object) => ({ normal: action('run', parameters), rollback: null });
const wait = (name: string) => ({ name, wait: { signal: 's' } });
const ask = (name: string) => ({ name, normal: action('request'), rollback: null });

it('finds commands that refuse the output of the step whose name their parameter has', () => {
  expect(taken(wait('size'), run())).toEqual(['/f/steps/1/normal']);
  expect(taken(ask('size'), run())).toEqual(['/f/steps/1/normal']);
  expect(taken({ name: 'size', group: [run()] }, run())).toEqual(['/f/steps/1/normal']);
  expect(taken(wait('size'), { group: [run()] })).toEqual(['/f/steps/1/group/0/normal']);
});

it('finds undos that require what they refuse, and not those that can do without it', () => {
  const undone = (name: string) => ({ ...run({ size: 1 }), name });
  expect(taken(wait('size'), { ...run({ size: 1 }), rollback: action('undo') })).toEqual([]);
  const bare = { normal: action('request'), rollback: action('undo') };
  expect(taken(wait('size'), bare)).toEqual(['/f/steps/1/rollback']);
  expect(taken(wait('size'), { ...bare, rollback: action('run') })).toEqual([]);
  expect(taken(undone('a'))).toEqual([]);
});

it('leaves alone what is meant, cannot be seen or fits', () => {
  expect(taken(wait('size'), run({ size: '{% $steps.size.n %}' }))).toEqual([]);
  expect(taken(wait('any'), run())).toEqual([]);
  expect(taken(wait('bag'), run())).toEqual([]);
  expect(taken(run(), wait('size'))).toEqual([]);
  expect(taken({ ...run(), name: 'size' }, run())).toEqual([]);
  expect(taken(wait('size'), { set: { size: 1 } }, run())).toEqual([]);
  expect(taken(wait('size'), ask('b'))).toEqual([]);
  const each = { foreach: { in: [1], as: 'size', steps: [run()] } };
  expect(taken(wait('size'), each)).toEqual([]);
});
