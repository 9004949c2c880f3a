import { expect, it } from '@jest/globals';
import type { StepPlan } from './flow.js';
import { FlowProgram } from './program.js';

const set = (name: string, needs: readonly number[]): StepPlan => ({
  name,
  needs,
  set: {},
  rollback: null,
});

it('a function of a list of steps is called once, however many tasks have the list', () => {
  const steps = [set('a', []), set('b', [0])];
  let calls = 0;
  const names = (list: readonly StepPlan[]): readonly string[] => {
    calls += 1;
    return list.map(({ name }) => name);
  };
  const found = FlowProgram.of(steps).kept(names);
  expect(FlowProgram.of(steps).kept(names)).toBe(found);
  expect([found, calls]).toEqual([['a', 'b'], 1]);
  expect(FlowProgram.of([...steps]).kept(names)).not.toBe(found);
});

it('a list counts the steps in its steps, and knows each of its own by name', () => {
  const retry = { attempts: 1, backoff: 'none', delayMs: 0, maxDelayMs: null, jitter: false };
  const group = { name: 'g', needs: [], group: [set('a', []), set('b', [0])], retry };
  const program = FlowProgram.of([{ ...group, timeoutMs: null } as StepPlan, set('z', [0])]);
  expect([program.count, program.positions.get('z'), program.positions.get('a')]).toEqual([
    4,
    1,
    undefined,
  ]);
});
