import { expect, it } from '@jest/globals';
import { FakeEntropy, ManualClock, RecordingObserver } from '#testing';
import { PROOF_MS, starterClient } from './connection.js';
import { settingsOf } from './options.js';

it('the start-up proof waits for its sockets as long as it may take', () => {
  const entropy = new FakeEntropy();
  const settings = settingsOf({
    url: 'mongodb://127.0.0.1:1/db',
    clock: new ManualClock(),
    observer: new RecordingObserver(),
    newMark: () => entropy.newId(),
    random: () => entropy.random(),
  });
  const { options } = starterClient(settings);
  expect(options.waitQueueTimeoutMS).toBe(PROOF_MS);
  expect(options.connectTimeoutMS).toBe(PROOF_MS);
  expect(options.serverSelectionTimeoutMS).toBe(settings.operationMs);
});
