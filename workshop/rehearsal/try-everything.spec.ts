import { expect, it } from '@jest/globals';
import { NO_RETRY, type StepPlan } from '#core';
import { action, flow, PlainEvaluator } from '#testing';
import { rehearse } from './rehearse.js';
import { WHERES } from './scenario.js';

const WEAK = action('m.drop');
const STRONG = action('m.drop', { retry: { ...NO_RETRY, attempts: 2 } });
const ROUNDS = { while: null, max: 9, delay: null } as const;
const COMMAND = { normal: action('m.make'), rollback: STRONG };

/** The rollbacks that were tried, and how the cells of each came out. */
async function undosOf(steps: readonly StepPlan[]): Promise<ReadonlyMap<string, string>> {
  const nothing = {
    parameters: { m: 0 },
    labels: {},
    answers: new Map(),
    signals: [],
    approvals: [],
  };
  const tried = await rehearse(
    { definition: flow(steps), scenario: { name: 'only', ...nothing } },
    { evaluator: new PlainEvaluator(), flows: new Map(), changes: () => false },
  );
  const undos = new Map<string, string>();
  for (const { direction, how, result, run, where } of tried.cells) {
    const known = undos.get(run) ?? '';
    if (direction === 'rollback') undos.set(run, `${known}${where} ${how}: ${result}, `);
  }
  return undos;
}

function outcomeOf(results: Readonly<Record<string, string>>): string {
  const each = Object.entries(results);
  return WHERES.flatMap((where) => each.map(([how, is]) => `${where} ${how}: ${is}, `)).join('');
}

const CLEAN = outcomeOf({ error: 'clean', crash: 'clean' });
const STUCK = outcomeOf({ error: 'stuck', crash: 'clean' });

it('fails the rollbacks of steps that are no commands, where a later step fails', async () => {
  const asks = { title: 'go?', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;
  const bounded = { ...STRONG, attemptTimeoutMs: 9 };
  const undos = await undosOf([
    { name: 'values', needs: [], set: { a: 1 }, rollback: WEAK },
    { name: 'rest', needs: [0], wait: { for: 3_600_000 }, rollback: STRONG },
    { name: 'ask', needs: [1], approve: asks, rollback: bounded },
    { name: 'make', needs: [2], ...COMMAND },
  ]);
  expect(Object.fromEntries(undos)).toEqual({
    make: CLEAN,
    values: STUCK,
    rest: CLEAN,
    ask: outcomeOf({ error: 'clean', 'time-out': 'clean', crash: 'clean' }),
  });
});

it('does so in rounds, of which one stands for all, and in a catch', async () => {
  const values = { name: 'values', needs: [], set: { n: '{% m %}', m: 5 }, rollback: WEAK };
  const steps = [values, { name: 'make', needs: [0], ...COMMAND }];
  const caught = { errors: ['*'], as: null, steps: [{ ...values, name: 'lost' }, steps[1]!] };
  const undos = await undosOf([
    { name: 'each', needs: [], loop: { ...ROUNDS, steps, until: '{% n > 3 %}' } },
    { name: 'caught', needs: [0], ...COMMAND, catch: [caught] },
    { name: 'last', needs: [1], ...COMMAND },
  ]);
  const stuck = [...undos].filter(([, results]) => results === STUCK);
  expect(stuck.map(([run]) => run)).toEqual(['each#1/values', 'caught#catch/lost']);
});
