import { expect, it } from '@jest/globals';
import { defaultWorkerUrl } from './worker-url.js';

it.each([
  '/a/dist/libs/flow-files/src/checking/worker-url.js',
  '/a/libs/flow-files/src/checking/worker-url.ts',
])('the worker of %s is what the build has made', (here) => {
  const { href } = defaultWorkerUrl(`file://${here}`);
  expect(href).toBe('file:///a/dist/libs/flow-files/src/checking/worker.js');
});
