import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { beforeEach, expect, it } from '@jest/globals';
import { StoreUnavailable } from '#ports';
import { RecordingObserver } from '#testing';
import type { Answer } from './protocol.js';
import { WorkerLink } from './worker-link.js';

/** Gives one answer after the other, whatever it is asked. */
class AnsweringWorker extends EventEmitter {
  answers: Answer[] = [];

  postMessage(): void {
    setImmediate(() => this.emit('message', [this.answers.shift()]));
  }
}

let worker: AnsweringWorker;
let observer: RecordingObserver;
let link: WorkerLink;

beforeEach(() => {
  worker = new AnsweringWorker();
  observer = new RecordingObserver();
  link = new WorkerLink(worker as unknown as Worker, '/data/a.db', observer);
});

it('tells once of a file that cannot be used, and of the first ping that goes well', async () => {
  const full: Answer = { failure: 'unavailable', message: 'It is full.' };
  worker.answers = [full, full, 'read', full, null, null];
  for (const kind of ['ping', 'listFlows'] as const) {
    await expect(link.ask([kind])).rejects.toThrow(StoreUnavailable);
  }
  // That something can be read says nothing of what is written.
  await link.ask(['listFlows']);
  await expect(link.ping()).rejects.toThrow('It is full.');
  await link.ping();
  await link.ping();
  expect(observer.notices).toEqual([
    { level: 'error', name: 'store_refuses', message: 'It is full. The file is /data/a.db.' },
    { level: 'info', name: 'store_writable', message: expect.any(String) },
  ]);
});
