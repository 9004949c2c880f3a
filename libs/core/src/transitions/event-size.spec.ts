import { describe, expect, it } from '@jest/globals';
import { NO_RETRY } from '../flow/action.js';
import type { Failed } from '../task/event.js';
import { boundedEvent } from './event-size.js';
import type { StepPlan } from '../flow/flow.js';

function failed(message: string): Failed {
  const report = { direction: 'normal', step: 0, token: 1 } as const;
  return { kind: 'failed', ...report, terminal: false, failure: 'FAILED', message };
}

function stepsOf(count: number): readonly StepPlan[] {
  const action = { module: 'm', command: 'c', timeoutMs: 1, attemptTimeoutMs: null };
  const normal = { ...action, retry: NO_RETRY, onCrash: 'fail', parameters: null } as const;
  return Array.from({ length: count }, (_, n) => {
    return { name: `s${n}`, needs: [], normal, rollback: null };
  });
}

describe('texts of an event', () => {
  it('are kept as they are while they are short, in the same object', () => {
    for (const text of ['', 'short', 'x'.repeat(4_000), '界'.repeat(1_333)]) {
      const event = failed(text);
      expect(boundedEvent(event, stepsOf(4))).toBe(event);
    }
  });

  it('end after 4,000 bytes, and earlier in a task with many steps', () => {
    const [few, many] = [4, 1_000].map((steps) => {
      return boundedEvent(failed('x'.repeat(9_999)), stepsOf(steps));
    });
    expect(few).toMatchObject({ message: `${'x'.repeat(3_997)}…` });
    expect(many).toMatchObject({ message: `${'x'.repeat(797)}…` });
  });

  it('are a stack trace as well, which has the room that the message leaves', () => {
    const event = { ...failed('x'.repeat(1_000)), stack: 'y'.repeat(9_999) };
    const bounded = boundedEvent(event, stepsOf(4)) as Failed;
    expect(bounded.message).toBe(event.message);
    expect(bounded.stack).toBe(`${'y'.repeat(2_997)}…`);
  });

  it('do not end within a character', () => {
    const bounded = boundedEvent(failed(`${'x'.repeat(3_995)}😀more`), stepsOf(1));
    expect(bounded).toMatchObject({ message: `${'x'.repeat(3_995)}…` });
  });

  it('count half characters with what stores take for them', () => {
    const { message } = boundedEvent(failed('\ud800'.repeat(9_999)), stepsOf(1)) as Failed;
    expect(message).toBe(`${'\ud800'.repeat(571)}…`);
  });

  it('count the steps within steps', () => {
    const group = { name: 'g', needs: [], group: stepsOf(999), retry: NO_RETRY, timeoutMs: null };
    const bounded = boundedEvent(failed('x'.repeat(9_999)), [group]);
    expect(bounded).toMatchObject({ message: `${'x'.repeat(797)}…` });
  });

  it('end earlier the more runs a task has that came to be while it ran', () => {
    const lengths = [0, 1, 290, 10_990, 12_990].map((grown) => {
      const { message } = boundedEvent(failed('x'.repeat(9_999)), stepsOf(10), grown) as Failed;
      return message.length;
    });
    expect(lengths).toEqual([3_998, 3_998, 998, 58, 58]);
  });

  it("are a person's reasons as well", () => {
    const person = { actor: 'somebody', key: null, reason: 'y'.repeat(5_000) };
    const bounded = boundedEvent({ kind: 'terminate_requested', ...person }, stepsOf(1_000));
    expect(bounded).toMatchObject({ reason: `${'y'.repeat(797)}…` });
  });
});
