import { describe, expect, it } from '@jest/globals';
import {
  type Action,
  DEFAULT_TIMING,
  type EventOf,
  NO_RETRY,
  RESTARTS_FORWARD,
  type StepPlan,
  type Task,
  type TaskEvent,
} from '#core';
import { conclude, propose, createTask } from '#core/transitions';
import { commitPassings } from './commit-passings.js';

const person = { actor: 'somebody', reason: 'a test', key: null };
const plain = { timeoutMs: 60_000, attemptTimeoutMs: null, retry: NO_RETRY, parameters: null };

function action(command: string): Action {
  return { module: 'm', command, ...plain, onCrash: RESTARTS_FORWARD };
}

function step(name: string, needs: readonly number[]): StepPlan {
  return { name, needs, normal: action(name), rollback: action(`undo_${name}`) };
}

function momentAt(now: number) {
  return { now, chance: 0, timing: DEFAULT_TIMING };
}

function newTask(): Task {
  const steps = [step('a', []), step('b', [0])];
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const options = { taskId: 't', moment: momentAt(1_000) };
  return createTask({ definition, version: 1 }, { parameters: {} }, options).task;
}

interface Commit {
  readonly previous: Task;
  readonly next: Task;
}

function commitOf(
  previous: Task,
  event: TaskEvent,
  { now = 1_000, claims = [] }: { now?: number; claims?: readonly EventOf<'claimed'>[] } = {},
): Commit {
  const moment = momentAt(now);
  const proposed = propose(previous, event, { moment });
  if (proposed.kind !== 'proposed') throw new Error(proposed.kind);
  return { previous, next: conclude(proposed, claims).task };
}

function claim(at: number, direction: 'normal' | 'rollback' = 'normal'): EventOf<'claimed'> {
  return { kind: 'claimed', direction, step: at, attempt: 1, owner: 'executor' };
}

const tick: TaskEvent = { kind: 'tick', crowded: new Map(), ended: new Set(['executor']) };
const claimed = commitOf(newTask(), claim(0));
const report = { direction: 'normal', step: 0, token: 1 } as const;
const done: TaskEvent = { kind: 'succeeded', ...report, output: null };
const broken: TaskEvent = {
  kind: 'failed',
  ...report,
  terminal: true,
  failure: 'FAILED',
  message: 'told to',
};

function passingsOf({ next, previous }: Commit) {
  return commitPassings(previous, next);
}

describe('a commit is told by its documents to be', () => {
  it('a claim', () => {
    expect(passingsOf(claimed)).toEqual([{ border: 'claim', direction: 'normal', alone: true }]);
  });

  it('an outcome that leaves a message to be sent', () => {
    expect(passingsOf(commitOf(claimed.next, done))).toEqual([
      { border: 'outcome', direction: 'normal', queues: true, alone: true },
    ]);
  });

  it('an outcome that claims what it queued', () => {
    expect(passingsOf(commitOf(claimed.next, done, { claims: [claim(1)] }))).toEqual([
      { border: 'outcome', direction: 'normal', queues: false, alone: false },
      { border: 'claim', direction: 'normal', alone: false },
    ]);
  });

  it('the claim of a rollback', () => {
    const turned = commitOf(claimed.next, broken);
    expect(passingsOf(commitOf(turned.next, claim(0, 'rollback')))).toEqual([
      { border: 'claim', direction: 'rollback', alone: true },
    ]);
  });

  it('a round of governance that takes a lease away, and no outcome', () => {
    const late = commitOf(claimed.next, tick);
    expect(passingsOf(late)).toEqual([{ border: 'tick', alone: true }]);
  });

  it('a round of governance that sends a message again', () => {
    const again = commitOf(newTask(), tick, { now: 1_000_000 });
    expect(passingsOf(again)).toEqual([{ border: 'tick', alone: true }]);
  });

  it("a person's action", () => {
    const asked = commitOf(newTask(), { kind: 'terminate_requested', ...person });
    expect(passingsOf(asked)).toEqual([{ border: 'action', alone: true }]);
  });

  it('nothing that counts, where an overdue action is looked at', () => {
    const look = { ...tick, ended: new Set<string>() };
    expect(passingsOf(commitOf(claimed.next, look, { now: 10_000_000 }))).toEqual([]);
  });
});
