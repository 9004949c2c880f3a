import { describe, expect, it } from '@jest/globals';
import { sampleTask } from '#testing';
import { wantsAction } from '../scopes/step-at.js';
import {
  type Hold,
  type Standing,
  startsActions,
  statusName,
  statusOf,
  type TaskOutcome,
  type Way,
} from './status.js';

const ON_HOLD: Hold = { why: 'rollback_failed', by: null, until: null };
const TURNED = {
  at: 1,
  why: 'requested',
  message: 'back',
  cause: null,
  to: null,
  by: null,
} as const;

function standing(way: Way, change: Partial<Standing> = {}): Standing {
  return { way, hold: null, paused: null, outcome: null, startedAt: 5, ...change };
}

const nameOf = (fields: Standing): string => statusName(statusOf(fields));

describe('the status of a task', () => {
  it('is its outcome, whatever else is the matter with it', () => {
    for (const way of ['forward', 'back'] as const) {
      for (const outcome of ['succeeded', 'rolled_back', 'terminated'] as const) {
        for (const hold of [null, ON_HOLD]) {
          expect(nameOf(standing(way, { outcome, hold }))).toBe(outcome);
        }
      }
    }
  });

  it('is its hold while it is live', () => {
    expect(nameOf(standing('back', { hold: ON_HOLD }))).toBe('rollback_failed');
  });

  it('is its direction else, and not started until its first action is', () => {
    expect(nameOf(standing('forward', { startedAt: null }))).toBe('not_started');
    expect(nameOf(standing('forward'))).toBe('running');
    expect(nameOf(standing('back'))).toBe('rolling_back');
    expect(nameOf(standing('back', { startedAt: null }))).toBe('rolling_back');
  });
});

describe('a task', () => {
  const wanted = (fields: Standing) =>
    (['normal', 'rollback'] as const).filter((direction) => {
      return wantsAction({ ...sampleTask(), turned: TURNED, ...fields }, { direction, step: 0 });
    });

  it('wants rollbacks, and what goes forward in its direction, also while it is on hold', () => {
    expect(wanted(standing('forward'))).toEqual(['normal', 'rollback']);
    expect(wanted(standing('back'))).toEqual(['rollback']);
    expect(wanted(standing('back', { hold: ON_HOLD }))).toEqual(['rollback']);
  });

  it('wants nothing once it has ended', () => {
    const outcomes: readonly TaskOutcome[] = ['succeeded', 'rolled_back', 'terminated'];
    for (const outcome of outcomes) {
      expect(wanted(standing('forward', { outcome }))).toEqual([]);
      expect(wanted(standing('back', { outcome, hold: ON_HOLD }))).toEqual([]);
    }
  });

  it('that is reset down to a step wants what is before it to go on forward', () => {
    const turned = { ...TURNED, why: 'reset', to: 1 } as const;
    const reset = { ...sampleTask(), ...standing('back'), turned };
    expect(wantsAction(reset, { direction: 'normal', step: 0 })).toBe(true);
    expect(wantsAction(reset, { direction: 'normal', step: 1 })).toBe(false);
    expect(wantsAction(reset, { direction: 'rollback', step: 1 })).toBe(true);
  });

  it('starts what is ready unless it is on hold or has ended', () => {
    expect(startsActions(standing('forward'))).toBe(true);
    expect(startsActions(standing('back'))).toBe(true);
    expect(startsActions(standing('back', { hold: ON_HOLD }))).toBe(false);
    expect(startsActions(standing('back', { outcome: 'terminated' }))).toBe(false);
  });
});
