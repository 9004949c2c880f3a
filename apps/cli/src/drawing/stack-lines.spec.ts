import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import type { TaskEvent } from '../client/types.js';
import { lastStack } from './stack-lines.js';

const paint = pc.createColors(false);
const stack = 'Error: no\u001b[2J\n    at order (host.ts:7:3)';
const about = { step: 'order', direction: 'normal', actor: 'backstep' } as const;
const at = '2026-01-01T00:00:00.000Z';

function event(seq: number, kind: string, more: Partial<TaskEvent> = {}): TaskEvent {
  return { seq, at, kind, ...about, ...more };
}

const failed = event(2, 'failed', { attempt: 3, stack });

describe('the stack trace of a task', () => {
  it('is that of its newest failed attempt, with what it is of', () => {
    const older = event(1, 'failed', { attempt: 2, stack: 'Error: before' });
    expect(lastStack([older, failed], paint)).toEqual([
      '',
      'order, attempt 3:',
      '    Error: no?[2J',
      '      at order (host.ts:7:3)',
    ]);
    const undo = { ...failed, direction: 'rollback', run: 'order~2' } as const;
    expect(lastStack([undo], paint)[1]).toBe('order~2 undo, attempt 3:');
  });

  it.each([
    ['nothing failed', [event(1, 'started')]],
    ['the caller sees none', [event(2, 'failed')]],
    ['the step has succeeded since', [failed, event(3, 'succeeded')]],
    ['it was thrown on purpose', [{ ...failed, intended: true as const }]],
  ])('is none where %s', (_why, events) => {
    expect(lastStack(events, paint)).toEqual([]);
  });

  it('is there whatever the error calls itself', () => {
    const stack = 'TerminalError: no\n    at a (b.ts:7:3)';
    expect(lastStack([{ ...failed, stack }], paint)).toHaveLength(4);
  });

  it('is there although its undo, or another step, has succeeded since', () => {
    const others = [{ direction: 'rollback' } as const, { step: 'pay' }];
    for (const other of others) {
      expect(lastStack([failed, event(3, 'succeeded', other)], paint)).toHaveLength(4);
    }
  });
});
