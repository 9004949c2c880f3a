import { expect, it } from '@jest/globals';
import { defaultWorkerUrl } from './worker-url.js';

it.each([
  [
    '/a/dist/libs/expressions/src/evaluation/worker-url.js',
    '/a/dist/libs/expressions/src/evaluation/worker.js',
  ],
  [
    '/a/libs/expressions/src/evaluation/worker-url.ts',
    '/a/dist/programs/libs/expressions/src/evaluation/worker.js',
  ],
])('the process of %s is what the build has made', (here, url) => {
  expect(defaultWorkerUrl(`file://${here}`).href).toBe(`file://${url}`);
});
