import { expect, it } from '@jest/globals';
import { defaultWorkerUrl } from './worker-url.js';

it.each([
  [
    '/a/dist/libs/flow-files/src/checking/worker-url.js',
    '/a/dist/libs/flow-files/src/checking/worker.js',
  ],
  [
    '/a/libs/flow-files/src/checking/worker-url.ts',
    '/a/dist/programs/libs/flow-files/src/checking/worker.js',
  ],
])('the worker of %s is what the build has made', (here, url) => {
  expect(defaultWorkerUrl(`file://${here}`).href).toBe(`file://${url}`);
});
