import assert from 'node:assert/strict';
import type { JsonObject } from '#core';
import { DEADLINE_MS, within } from '../deadline.js';
import { attemptOf, type BarrierFixture, forward, rollback, type Rule } from './barrier-fixture.js';
import { describeForgetting } from './barrier-forgetting.js';
import { testRunner } from './runner.js';

/** The contract of every barrier, whatever database it uses. */
export function barrierContract<Tx>(name: string, open: () => Promise<BarrierFixture<Tx>>): void {
  const { describe, it } = testRunner();
  const rule: Rule<Tx> = (ruleName, body) => {
    const run = async (): Promise<void> => {
      const fixture = await open();
      try {
        await body(fixture);
      } finally {
        await within('the fixture is disposed of', fixture.dispose());
      }
    };
    it(ruleName, run, 3 * DEADLINE_MS);
  };
  describe(`barrier contract: ${name}`, () => {
    describeForward(rule);
    describeTokens(rule);
    describeRollback(rule);
    describeOvertaking(rule);
    describeProcesses(rule);
    describeForgetting(rule);
  });
}

async function refused(
  name: 'StaleToken' | 'Superseded',
  attempt: Promise<unknown>,
): Promise<void> {
  await assert.rejects(attempt, { name });
}

function describeForward<Tx>(rule: Rule<Tx>): void {
  rule('an effect happens and its output is given back', async (fixture) => {
    assert.deepEqual(await forward(fixture, attemptOf(1), { output: { a: [1, 'x'] } }), {
      a: [1, 'x'],
    });
    assert.equal(await fixture.count(attemptOf(1)), 1);
  });

  rule('a repetition gives the first output and has no effect', async (fixture) => {
    await forward(fixture, attemptOf(1), { output: { n: 1 } });
    for (const token of [1, 2, 5]) {
      assert.deepEqual(await forward(fixture, attemptOf(token), { output: { n: 2 } }), { n: 1 });
    }
    assert.equal(await fixture.count(attemptOf(1)), 1);
  });

  rule('an effect without output is repeated without output', async (fixture) => {
    assert.equal(await forward(fixture, attemptOf(1)), null);
    assert.equal(await forward(fixture, attemptOf(2), { output: { n: 2 } }), null);
  });

  rule('attempts at the same time have one effect', async (fixture) => {
    const tokens = [3, 1, 4, 2, 5];
    await Promise.allSettled(tokens.map((token) => forward(fixture, attemptOf(token))));
    await forward(fixture, attemptOf(6));
    assert.equal(await fixture.count(attemptOf(1)), 1);
  });

  rule('an effect that fails passes its error on and can be tried again', async (fixture) => {
    const fail = (): never => {
      throw new Error('no room');
    };
    await assert.rejects(fixture.barrier.forward(attemptOf(1), fail), { message: 'no room' });
    assert.equal(await fixture.count(attemptOf(1)), 0);
    await forward(fixture, attemptOf(2));
    assert.equal(await fixture.count(attemptOf(1)), 1);
  });

  rule(
    'an output that JSON would alter is refused, and what it leaves is undone',
    async (fixture) => {
      const output = { price: Number.NaN };
      await assert.rejects(forward(fixture, attemptOf(1), { output }), { name: 'TypeError' });
      await rollback(fixture, attemptOf(2));
      assert.equal(await fixture.count(attemptOf(1)), 0);
    },
  );

  rule('runs and tasks do not know each other', async (fixture) => {
    const attempts = [attemptOf(1, 'a'), attemptOf(1, 'b'), attemptOf(1, 'a', 'other')];
    for (const attempt of attempts) await forward(fixture, attempt);
    await rollback(fixture, attemptOf(2, 'a'));
    const counts = await Promise.all(attempts.map((attempt) => fixture.count(attempt)));
    assert.deepEqual(counts, [0, 1, 1]);
  });
}

function describeTokens<Tx>(rule: Rule<Tx>): void {
  rule('an older token than one that succeeded is refused', async (fixture) => {
    await forward(fixture, attemptOf(2));
    await refused('StaleToken', forward(fixture, attemptOf(1)));
    await refused('StaleToken', rollback(fixture, attemptOf(1)));
    assert.equal(await fixture.count(attemptOf(1)), 1);
  });

  rule('an older token than one that failed is refused', async (fixture) => {
    await assert.rejects(
      fixture.barrier.forward(attemptOf(2), () => {
        throw new Error('broken');
      }),
    );
    await refused('StaleToken', forward(fixture, attemptOf(1)));
    assert.equal(await fixture.count(attemptOf(1)), 0);
  });
}

function describeRollback<Tx>(rule: Rule<Tx>): void {
  rule('a rollback undoes once and is told the output', async (fixture) => {
    await forward(fixture, attemptOf(1), { output: { n: 1 } });
    const told: (JsonObject | null)[] = [];
    await fixture.barrier.rollback(attemptOf(2), (tx, output) => {
      told.push(output);
      return fixture.revert(tx, attemptOf(2));
    });
    await rollback(fixture, attemptOf(2));
    await rollback(fixture, attemptOf(3));
    assert.deepEqual(told, [{ n: 1 }]);
    assert.equal(await fixture.count(attemptOf(1)), 0);
  });

  rule('a rollback of what never was undoes nothing', async (fixture) => {
    let undone = 0;
    await fixture.barrier.rollback(attemptOf(1), () => void undone++);
    assert.equal(undone, 0);
  });

  rule('an undo that fails passes its error on and can be tried again', async (fixture) => {
    await forward(fixture, attemptOf(1));
    await assert.rejects(
      fixture.barrier.rollback(attemptOf(2), () => {
        throw new Error('not now');
      }),
      { message: 'not now' },
    );
    assert.equal(await fixture.count(attemptOf(1)), 1);
    await rollback(fixture, attemptOf(3));
    assert.equal(await fixture.count(attemptOf(1)), 0);
  });
}

function describeOvertaking<Tx>(rule: Rule<Tx>): void {
  rule('an effect that comes after its rollback is refused', async (fixture) => {
    await forward(fixture, attemptOf(1));
    await rollback(fixture, attemptOf(3));
    for (const token of [1, 2, 3, 4]) {
      await refused('Superseded', forward(fixture, attemptOf(token)));
    }
    assert.equal(await fixture.count(attemptOf(1)), 0);
  });

  rule('an effect that comes after an empty rollback is refused', async (fixture) => {
    await rollback(fixture, attemptOf(2));
    for (const token of [1, 2, 3]) {
      await refused('Superseded', forward(fixture, attemptOf(token)));
    }
    assert.equal(await fixture.count(attemptOf(1)), 0);
  });

  rule(
    'another run of a step that was undone has its effect, the undone one not',
    async (fixture) => {
      await forward(fixture, attemptOf(1));
      await rollback(fixture, attemptOf(2));
      await forward(fixture, attemptOf(3, 's~2'), { output: { n: 2 } });
      await refused('Superseded', forward(fixture, attemptOf(1)));
      const again = await forward(fixture, attemptOf(4, 's~2'), { output: { n: 3 } });
      assert.deepEqual(again, { n: 2 });
      // An undo of the former run that comes late takes nothing from the present one.
      await rollback(fixture, attemptOf(2));
      assert.equal(await fixture.count(attemptOf(1)), 0);
      assert.equal(await fixture.count(attemptOf(1, 's~2')), 1);
    },
  );

  rule('whatever is attempted at the same time as the rollback, nothing stays', async (fixture) => {
    await Promise.allSettled([
      forward(fixture, attemptOf(1)),
      forward(fixture, attemptOf(2)),
      rollback(fixture, attemptOf(3)),
      forward(fixture, attemptOf(2)),
      rollback(fixture, attemptOf(4)),
    ]);
    await rollback(fixture, attemptOf(5));
    assert.equal(await fixture.count(attemptOf(1)), 0);
  });
}

function describeProcesses<Tx>(rule: Rule<Tx>): void {
  rule('two processes on one store have one effect', async (fixture) => {
    const other = await fixture.openAnother();
    const first = await forward(fixture, attemptOf(1), { output: { n: 1 } });
    const again = await forward(fixture, attemptOf(2), { output: { n: 2 }, barrier: other });
    assert.deepEqual([first, again], [{ n: 1 }, { n: 1 }]);
    await rollback(fixture, attemptOf(3), other);
    await refused('Superseded', forward(fixture, attemptOf(2)));
    assert.equal(await fixture.count(attemptOf(1)), 0);
  });

  rule('two processes at once do not get into each other', async (fixture) => {
    const other = await fixture.openAnother();
    const steps = Array.from({ length: 20 }, (_, n) => `s${n}`);
    await Promise.allSettled(
      steps.flatMap((step) => [
        forward(fixture, attemptOf(1, step)),
        forward(fixture, attemptOf(2, step), { barrier: other }),
      ]),
    );
    const counts = await Promise.all(steps.map((step) => fixture.count(attemptOf(1, step))));
    assert.deepEqual(new Set(counts), new Set([1]));
  });
}
