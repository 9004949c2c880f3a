import { describe, expect, it } from '@jest/globals';
import { signalBody, wantedSignals } from './signal-form.js';
import { step } from './task-spec.js';

const waits = (name: string, signal: string, state: string) =>
  step(name, {
    kind: 'wait',
    state,
    wait: { signal },
    ...(state === 'waiting' && { waitsFor: 'signal' }),
  });

describe('the signals that a task wants', () => {
  it('are those of steps that wait, then those of steps that will, each once', () => {
    const inner = { kind: 'try', name: '1', way: 'forward' as const };
    const steps = [
      waits('over', 'ordered', 'succeeded'),
      waits('later', 'shipped', 'pending'),
      step('group', {
        kind: 'group',
        scopes: [{ ...inner, steps: [waits('now', 'paid', 'waiting')] }],
      }),
      waits('again', 'paid', 'pending'),
      step('pause', { kind: 'wait', state: 'waiting', wait: {} }),
    ];
    expect(wantedSignals(steps)).toEqual(['paid', 'shipped']);
    expect(wantedSignals([step('a')])).toEqual([]);
  });
});

describe('a signal', () => {
  it('has a payload where somebody wrote one', () => {
    expect(signalBody({ name: ' paid ', payload: ' ' })).toEqual({ name: 'paid' });
    const payload = '{"amount": 3}';
    expect(signalBody({ name: 'paid', payload })).toEqual({ name: 'paid', payload: { amount: 3 } });
  });

  it('is none with a payload that is no object', () => {
    for (const payload of ['[1]', '3', '{']) {
      expect(signalBody({ name: 'paid', payload })).toBeNull();
    }
  });
});
