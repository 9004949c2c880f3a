import { expect, it } from '@jest/globals';
import { defaultWorkerUrl } from './worker-url.js';

it.each([
  '/a/dist/libs/expressions/src/evaluation/worker-url.js',
  '/a/libs/expressions/src/evaluation/worker-url.ts',
])('the process of %s is what the build has made', (here) => {
  const { href } = defaultWorkerUrl(`file://${here}`);
  expect(href).toBe('file:///a/dist/libs/expressions/src/evaluation/worker.js');
});
