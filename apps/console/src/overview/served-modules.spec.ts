import { expect, it } from '@jest/globals';
import { isUnserved, servedModules } from './served-modules.js';

const process = (module: string, silentSince: string | null = null) => {
  return { module, silentSince, busy: 2, slots: 8 };
};
const step = (module: string) => ({ name: 's', normal: { module, command: 'do' } });

it('counts who serves a module, and does not count on those that owe a sign of life', () => {
  const executors = [process('a'), process('a'), process('a', '2026-01-01T00:00:00Z')];
  expect(servedModules(executors, [])).toEqual([
    { name: 'a', alive: 2, silent: 1, busy: 4, slots: 16, flows: [] },
  ]);
});

it('names modules that flows need and nobody serves first', () => {
  const inner = { name: 'g', group: { steps: [step('deep')] } };
  const undo = { ...step('a'), rollback: { module: 'undoes', command: 'undo' } };
  const flows = [
    { name: 'f', steps: [undo, inner] },
    { name: 'h', startable: false, obstacle: { message: 'no' }, steps: [step('nowhere')] },
    { name: 'old', startable: false, obstacle: null, steps: [step('past')] },
    { name: 'older', startable: false, steps: [step('gone')] },
  ];
  const found = servedModules([process('a'), process('idle', '2026-01-01T00:00:00Z')], flows);
  expect(found.map((module) => [module.name, isUnserved(module), module.flows])).toEqual([
    ['deep', true, ['f']],
    ['nowhere', true, ['h']],
    ['undoes', true, ['f']],
    ['a', false, ['f']],
    ['idle', false, []],
  ]);
});

it('takes no data for actions', () => {
  const data = { output: { module: 'x', command: 'y' } };
  const normal = { module: 'a', command: 'do', parameters: data };
  const found = servedModules([], [{ name: 'f', steps: [{ name: 's', normal }] }]);
  expect(found.map(({ name }) => name)).toEqual(['a']);
});
