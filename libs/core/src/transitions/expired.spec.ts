import { describe, expect, it } from '@jest/globals';
import type { StepPlan } from '../flow/flow.js';
import type { ActionRun } from '../task/action-run.js';
import { FAILURE_CODES } from '../task/failure.js';
import { Play, START, step } from './play-spec.js';

const EXPIRES_MS = 10_000;
const END = START + EXPIRES_MS;

const TICK = { kind: 'tick', crowded: new Map() } as const;
const REF = { direction: 'normal', step: 1 } as const;
const CLAIM = { kind: 'claimed', ...REF, attempt: 1, owner: 'p' } as const;
const PERSON = { actor: 'p', reason: 'r', key: null } as const;

/** A task whose second step expires, and is queued. */
function queued(more: object = {}): Play {
  const expiring = { ...step('b', [0]), expiresAfterMs: EXPIRES_MS, ...more } as StepPlan;
  const play = new Play({ steps: [step('a', []), expiring] });
  return play
    .do({ kind: 'claimed', direction: 'normal', step: 0, attempt: 1, owner: 'p' })
    .do({ kind: 'succeeded', direction: 'normal', step: 0, token: 1, output: null });
}

function runOf({ task }: Play): ActionRun {
  return task.runs[1]!.normal;
}

describe('an action that expires', () => {
  it('is looked at when it does, though its message is to be sent again later', () => {
    const play = queued();
    expect(runOf(play)).toMatchObject({ state: 'queued', expiresAt: END, deadline: null });
    for (let at = play.task.wakeAt!; at < END; at = play.task.wakeAt!) play.do(TICK, at);
    expect(play.task.wakeAt).toBe(END);
  });

  it('fails with a code of its own, is not undone, and what came before it is', () => {
    const play = queued().do(TICK, END);
    expect(runOf(play)).toMatchObject({
      state: 'failed',
      code: FAILURE_CODES.EXPIRED,
      attempts: 0,
    });
    expect(play.task.runs[1]?.rollback?.state).toBe('none');
    expect([play.status, play.sent]).toEqual(['rolling_back', ['undo_a']]);
    expect(play.task.turned?.cause).toMatchObject({ code: 'EXPIRED', step: 'b' });
  });

  it('is given to nobody who asks for it later, and to anybody before', () => {
    const late = queued().do(CLAIM, END);
    expect([runOf(late).code, late.status]).toEqual([FAILURE_CODES.EXPIRED, 'rolling_back']);
    const early = queued().do(CLAIM, END - 1);
    expect(runOf(early)).toMatchObject({ state: 'running', deadline: END - 1 + 60_000 });
  });

  it('has only its timeout once it was started', () => {
    const play = queued().do(CLAIM, END - 1);
    const failure = { failure: 'FAILED', message: 'no', terminal: false } as const;
    play.do({ kind: 'failed', ...REF, token: 2, ...failure }, END - 1);
    expect(runOf(play.do(TICK, END + 5_000)).state).toBe('queued');
    play.do({ ...CLAIM, attempt: 2 }, END + 6_000);
    expect(runOf(play)).toMatchObject({ state: 'running', attempts: 2 });
  });

  it('expires also where a worker gave it back that never began it', () => {
    const worker = { lengthMs: 30_000, poll: null };
    const play = queued().do({ ...CLAIM, worker }, END - 1);
    play.do({ kind: 'handed_back', ...REF, token: 2, message: 'no', isUnseen: true }, END - 1);
    expect(runOf(play).state).toBe('queued');
    expect(runOf(play.do({ ...CLAIM }, END)).code).toBe(FAILURE_CODES.EXPIRED);
  });

  it('does not expire by the time that its task is paused', () => {
    const play = queued().do({ kind: 'pause_requested', ...PERSON }, START + 1_000);
    expect(play.decide(TICK, END).kind).toBe('ignored');
    play.do({ kind: 'resume_requested', ...PERSON }, START + 61_000);
    expect(runOf(play)).toMatchObject({ state: 'queued', expiresAt: END + 60_000 });
  });

  it('has all of its time again when a person retries it', () => {
    const play = new Play({
      steps: [{ ...step('a', []), expiresAfterMs: EXPIRES_MS } as StepPlan],
      onFailure: { holdMs: null },
    });
    play.do(TICK, END).do({ kind: 'retry_requested', ...PERSON }, END + 500);
    expect(play.task.runs[0]?.normal).toMatchObject({
      state: 'queued',
      expiresAt: END + 500 + EXPIRES_MS,
    });
  });

  it('is caught, or passed over where it is optional, like any failure', () => {
    const optional = queued({ optional: true }).do(TICK, END);
    expect([runOf(optional).state, optional.status]).toEqual(['skipped', 'succeeded']);
  });
});
