import { describe, expect, it } from '@jest/globals';
import { defaultWorkerUrl } from './worker-url.js';

describe('the worker', () => {
  it('lies beside compiled code', () => {
    const here = 'file:///a/dist/libs/store-sqlite/src/worker-url.js';
    expect(defaultWorkerUrl(here).href).toBe('file:///a/dist/libs/store-sqlite/src/worker/main.js');
  });

  it('is the bundled one where the sources themselves are run', () => {
    const here = 'file:///a/libs/store-sqlite/src/worker-url.ts';
    const bundle = 'file:///a/dist/programs/libs/store-sqlite/src/worker/main.js';
    expect(defaultWorkerUrl(here).href).toBe(bundle);
  });
});
