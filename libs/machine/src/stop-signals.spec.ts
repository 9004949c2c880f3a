import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { hearStopSignals, type StopSignal } from './stop-signals.js';

function listen() {
  const clock = new ManualClock();
  const source = new EventEmitter();
  const heard: string[] = [];
  hearStopSignals(source, clock, {
    stop: (signal) => heard.push(`stop ${signal}`),
    again: (signal) => heard.push(`again ${signal}`),
  });
  const send = (signal: StopSignal): boolean => source.emit(signal, signal);
  return { clock, heard, send };
}

describe('a request to stop', () => {
  it('is one request when its echo follows within a second', async () => {
    const { clock, heard, send } = listen();
    send('SIGTERM');
    send('SIGTERM');
    await clock.advance(999);
    send('SIGTERM');
    expect(heard).toEqual(['stop SIGTERM']);
  });

  it('is repeated by the same signal after a second', async () => {
    const { clock, heard, send } = listen();
    send('SIGINT');
    await clock.advance(1_000);
    send('SIGINT');
    expect(heard).toEqual(['stop SIGINT', 'again SIGINT']);
  });

  it('is repeated by another signal at once', () => {
    const { heard, send } = listen();
    send('SIGTERM');
    send('SIGINT');
    expect(heard).toEqual(['stop SIGTERM', 'again SIGINT']);
  });
});
