import { expect, it } from '@jest/globals';
import { isUnserved, servedModules } from './served-modules.js';

const process = (module: string, silentSince: string | null = null) => {
  return { module, silentSince, busy: 2, slots: 8 };
};

it('counts who serves a module, and does not count on those that owe a sign of life', () => {
  const items = [process('a'), process('a'), process('a', '2026-01-01T00:00:00Z')];
  expect(servedModules({ items, unserved: [] })).toEqual([
    { name: 'a', alive: 2, silent: 1, busy: 4, slots: 16, flows: [] },
  ]);
});

it('names modules that flows need and nobody serves first', () => {
  const unserved = [
    { module: 'undoes', flows: ['f'] },
    { module: 'deep', flows: ['f', 'h'] },
  ];
  const items = [process('a'), process('idle', '2026-01-01T00:00:00Z')];
  const found = servedModules({ items, unserved });
  expect(found.map((module) => [module.name, isUnserved(module), module.flows])).toEqual([
    ['deep', true, ['f', 'h']],
    ['undoes', true, ['f']],
    ['a', false, []],
    ['idle', false, []],
  ]);
});
