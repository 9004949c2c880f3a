import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import type { Outcome } from '#core';
import { commandContext, ManualClock, settle } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { hostileError, hostileThing } from '../../../test/fuzz/hostile-objects.js';
import { CommandCall } from './command-call.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const MAX_BYTES = 1_000;
const MESSAGE_MAX = 1_000;
const faults: unknown[] = [];
const onFault = (error: unknown): void => void faults.push(error);

beforeAll(() => void process.on('unhandledRejection', onFault));
afterAll(() => void process.off('unhandledRejection', onFault));

/** The outcomes of an attempt whose command does this. */
async function outcomesOf(command: () => Promise<unknown>): Promise<readonly Outcome[]> {
  faults.length = 0;
  const outcomes: Outcome[] = [];
  const terms = { clock: new ManualClock(), maxOutputBytes: MAX_BYTES };
  const call = new CommandCall(commandContext(), terms, (outcome) => outcomes.push(outcome));
  call.start(command);
  await settle();
  return outcomes;
}

/** One outcome, which anybody can write down. */
function expectOutcome(outcomes: readonly Outcome[]): void {
  expect(faults).toEqual([]);
  expect(outcomes).toHaveLength(1);
  const [outcome] = outcomes;
  expect(typeof JSON.stringify(outcome)).toBe('string');
  if (outcome?.kind === 'succeeded') {
    const written = JSON.stringify(outcome.output);
    expect(Buffer.byteLength(written)).toBeLessThanOrEqual(MAX_BYTES);
    return;
  }
  if (outcome?.kind !== 'failed') throw new Error(`it is ${outcome?.kind}`);
  expect(outcome.message?.length ?? 0).toBeLessThanOrEqual(MESSAGE_MAX);
}

describe('an attempt has one outcome, which can be written down', () => {
  it('whatever its command returns', async () => {
    await fc.assert(
      fc.asyncProperty(hostileThing, async (make) => {
        expectOutcome(await outcomesOf(async () => make()));
      }),
      fuzzBudget(2_000),
    );
  });

  it('whatever its command throws', async () => {
    await fc.assert(
      fc.asyncProperty(hostileError, async (make) => {
        expectOutcome(
          await outcomesOf(async () => {
            throw make();
          }),
        );
      }),
      fuzzBudget(2_000),
    );
  });
});
