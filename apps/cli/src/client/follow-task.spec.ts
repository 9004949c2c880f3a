import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { taskReport } from '../stub-server-spec.js';
import type { BackstepClient } from './backstep-client.js';
import { followTask } from './follow-task.js';

it('a stream that ends with nothing is asked for again after a pause, and not at once', async () => {
  const ended = new AbortController();
  let streams = 0;
  const client = {
    options: { signal: ended.signal, url: 'http://gateway' },
    getTask: async () => taskReport('running'),
    stream: () => {
      streams += 1;
      if (streams > 1) throw new Error('asked again at once');
      // A request that is repeated without a pause comes before this.
      setImmediate(() => ended.abort(new Error('enough')));
      return Readable.from([]);
    },
  } as unknown as BackstepClient;
  await expect(followTask(client, 'task-1', {})).rejects.toThrow('enough');
  expect(streams).toBe(1);
});
