import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditFact } from '#ports';
import { ManualClock } from '#testing';
import { REFUSE_SIGN_IN, RefusedSignIns } from './refused-sign-ins.js';

let clock: ManualClock;
let written: AuditFact[];
let refused: RefusedSignIns;

beforeEach(() => {
  clock = new ManualClock();
  written = [];
  const trail = {
    add: async (fact: AuditFact) => {
      written.push(fact);
      return true;
    },
  };
  refused = new RefusedSignIns({ trail, clock });
});

function note(address: string, why = 'an unknown key or token'): void {
  refused.note({ address, why, status: 401, target: '/v1/tasks', requestId: 'r' });
}

describe('a refused sign-in', () => {
  it('stands in the audit log at once, with its address and reason', () => {
    note('10.0.0.1', 'token: audience');
    expect(written).toEqual([
      {
        at: clock.now(),
        actor: 'unknown',
        keyId: null,
        operation: REFUSE_SIGN_IN,
        target: '/v1/tasks',
        status: 401,
        reason: 'token: audience, from 10.0.0.1',
        requestId: 'r',
      },
    ]);
  });

  it('is counted with the others of its address, which one entry tells of', async () => {
    for (let n = 0; n < 40; n += 1) note('10.0.0.1');
    for (let n = 0; n < 3; n += 1) note('10.0.0.2', 'token: expired');
    expect(written).toHaveLength(2);
    await clock.advance(300_000);
    expect(written.slice(2).map(({ reason }) => reason)).toEqual([
      '41 more in five minutes, from 2 addresses; most from 10.0.0.1; mostly: an unknown key or token',
    ]);
    await clock.advance(600_000);
    expect(written).toHaveLength(3);
  });

  it('fills no log, from however many addresses it comes', async () => {
    for (let hour = 0; hour < 12; hour += 1) {
      for (let n = 0; n < 5_000; n += 1) note(`10.0.${n >> 8}.${n & 255}`, `why ${n}`);
      await clock.advance(300_000);
    }
    expect(written.length).toBeLessThanOrEqual(12 * 6);
  });

  it('is not forgotten where the process stops', async () => {
    note('10.0.0.1');
    note('10.0.0.1');
    await refused.close();
    expect(written).toHaveLength(2);
    await refused.close();
    expect(written).toHaveLength(2);
  });
});
