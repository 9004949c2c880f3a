import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Gate, settle } from '#testing';
import { Stopped } from './attempt.js';
import type { Outcome, WorkItem } from './protocol.js';
import { itemOf, ScriptedGateway } from './scripted-gateway-spec.js';
import type { Handler } from './worker.js';

const DONE: Outcome = { kind: 'complete', output: { paid: true } };

/** A handler that waits for the test, or for a stop. */
function held(): { readonly handle: Handler; finish(): void; readonly stops: Stopped[] } {
  const gate = new Gate();
  const stops: Stopped[] = [];
  return {
    stops,
    finish: () => gate.open(),
    handle: async ({ signal }) => {
      const stopped = new Promise<never>((_, reject) => {
        const stop = (): void => reject(signal.reason as Stopped);
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) stop();
      });
      await Promise.race([gate.passed, stopped]).catch((reason: Stopped) => {
        stops.push(reason);
        throw reason;
      });
      return DONE;
    },
  };
}

describe('the polls of a worker', () => {
  it('ask for as many actions as there are free slots, and for none while there is no slot', async () => {
    const gateway = new ScriptedGateway();
    const { finish, handle } = held();
    const first = await gateway.start(handle);
    expect(first.body).toMatchObject({ modules: ['shop'], commands: ['charge'], max: 2 });
    first.answer({ items: [itemOf()] });
    const second = await gateway.next('poll');
    expect(second.body).toMatchObject({ max: 1 });
    second.answer({ items: [itemOf({ claim: 'claim-2' })] });
    expect(await gateway.waiting()).toEqual([]);
    finish();
    expect((await gateway.next('complete')).body).toEqual({ output: { paid: true } });
    (await gateway.next('complete')).answer({ taskStatus: 2 });
    await gateway.next('poll');
  });

  it('leave nothing behind at the signal that ends the worker', async () => {
    const gateway = new ScriptedGateway();
    let poll = await gateway.start(async () => DONE, { slots: 1 });
    for (let claims = 0; claims < 3; claims += 1) {
      poll.answer({ items: [itemOf({ claim: `claim-${claims}` })] });
      (await gateway.next('complete')).answer({ taskStatus: 2 });
      poll = await gateway.next('poll');
      expect(getEventListeners(gateway.stop.signal, 'abort')).toHaveLength(1);
    }
  });

  it('are repeated with their id where no answer came, and get another id after a minute', async () => {
    const gateway = new ScriptedGateway();
    const first = await gateway.start(async () => DONE);
    first.break();
    await gateway.clock.advance(100);
    const again = await gateway.next('poll');
    expect(again.body['pollId']).toBe(first.body['pollId']);
    await gateway.clock.advance(70_000);
    const last = await gateway.next('poll');
    expect(last.body['pollId']).toBe(first.body['pollId']);
    await gateway.clock.advance(30_000);
    const ids = gateway.asked.map(({ body }) => body['pollId']);
    expect(ids.at(-1)).not.toBe(first.body['pollId']);
  });

  it('are followed by another registration once the gateway was away', async () => {
    const gateway = new ScriptedGateway();
    (await gateway.start(async () => DONE)).break();
    await gateway.clock.advance(100);
    expect(await gateway.waiting()).toEqual(['poll']);
    (await gateway.next('poll')).answer({ items: [] });
    const again = await gateway.next('PUT');
    expect(again.body).toMatchObject({ modules: { shop: { charge: {} } } });
    // The worker goes on, whatever comes of it.
    again.answer({ code: 'SECRET_KEY_MISSING', detail: 'There is no key.' }, 422);
    await gateway.next('poll');
    expect(gateway.said.at(-1)).toContain('SECRET_KEY_MISSING: There is no key.');
  });

  it('do not begin an action again that an answer repeats', async () => {
    const gateway = new ScriptedGateway();
    const begun: string[] = [];
    const { handle } = held();
    const first = await gateway.start(
      (attempt) => {
        begun.push(attempt.item.claim);
        return handle(attempt);
      },
      { slots: 3 },
    );
    first.answer({ items: [itemOf(), itemOf()] });
    const second = await gateway.next('poll');
    expect(second.body).toMatchObject({ max: 2 });
    second.answer({ items: [itemOf(), itemOf({ claim: 'claim-2' })] });
    await gateway.next('poll');
    expect(begun).toEqual(['claim-1', 'claim-2']);
  });

  it('do not begin an action again that has ended while the answer was on its way', async () => {
    const gateway = new ScriptedGateway();
    const begun: string[] = [];
    const first = await gateway.start(
      async (attempt) => {
        begun.push(attempt.item.claim);
        return DONE;
      },
      { slots: 2 },
    );
    first.answer({ items: [itemOf()] });
    const late = await gateway.next('poll');
    (await gateway.next('complete')).answer({});
    late.answer({ items: [itemOf(), itemOf({ claim: 'claim-2' })] });
    await gateway.next('complete');
    expect(begun).toEqual(['claim-1', 'claim-2']);
  });

  it('wait for the time that a busy gateway asks for', async () => {
    const gateway = new ScriptedGateway();
    (await gateway.start(async () => DONE)).answer({}, 503, 5_000);
    await gateway.clock.advance(4_999);
    expect(await gateway.waiting()).toEqual([]);
    await gateway.clock.advance(5_001);
    expect(await gateway.waiting()).toEqual(['poll']);
  });

  it('go on every 30 s where the key is refused, with one line a minute', async () => {
    const gateway = new ScriptedGateway();
    let poll = await gateway.start(async () => DONE);
    for (let tries = 0; tries < 4; tries += 1) {
      poll.answer({ code: 'FORBIDDEN' }, 403);
      await settle();
      await gateway.clock.advance(30_000);
      poll = await gateway.next('poll');
    }
    expect(gateway.said).toHaveLength(2);
    expect(gateway.said[0]).toContain('403 FORBIDDEN');
  });

  it('rest while the gateway lets the worker drain', async () => {
    const gateway = new ScriptedGateway();
    (await gateway.start(async () => DONE)).answer({ items: [], drain: true });
    await gateway.clock.advance(4_999);
    expect(await gateway.waiting()).toEqual([]);
    await gateway.clock.advance(1);
    expect(await gateway.waiting()).toEqual(['poll']);
  });
});

describe('the lease of an action', () => {
  it('is renewed every ten seconds at least, or the worker would be taken for gone', async () => {
    const gateway = new ScriptedGateway();
    const { handle } = held();
    (await gateway.start(handle)).answer({ items: [itemOf({ leaseMs: 600_000 })] });
    await settle();
    await gateway.clock.advance(10_000);
    await gateway.next('heartbeat');
  });

  it('is renewed at a third of it, and a failed heartbeat tells its lines again', async () => {
    const gateway = new ScriptedGateway();
    const { handle } = held();
    const poll = await gateway.start((attempt) => {
      attempt.say('begun');
      return handle(attempt);
    });
    poll.answer({ items: [itemOf()] });
    await settle();
    await gateway.clock.advance(5_000);
    const beat = await gateway.next('heartbeat');
    expect(beat.body['claims']).toEqual([
      { claim: 'claim-1', log: [{ message: 'begun', agoMs: 5_000 }] },
    ]);
    beat.break();
    await gateway.clock.advance(100);
    const again = await gateway.next('heartbeat');
    expect(again.body['claims']).toMatchObject([{ log: [{ message: 'begun' }] }]);
    again.answer({ claims: [{ claim: 'claim-1', state: 'held', leaseMs: 29_999 }] });
    await settle();
    await gateway.clock.advance(9_999);
    expect(await gateway.waiting()).toEqual(['poll']);
    await gateway.clock.advance(1);
    expect((await gateway.next('heartbeat')).body['claims']).toEqual([{ claim: 'claim-1' }]);
  });

  it('is renewed by a request that the gateway takes, however much its attempts say', async () => {
    const gateway = new ScriptedGateway();
    const { handle } = held();
    const poll = await gateway.start(
      (attempt) => {
        attempt.say('x'.repeat(1_000_000));
        for (let lines = 0; lines < 20; lines += 1) attempt.say('y'.repeat(5_000));
        return handle(attempt);
      },
      { slots: 100 },
    );
    const claims = Array.from({ length: 100 }, (_, index) => `claim-${index}`);
    poll.answer({ items: claims.map((claim) => itemOf({ claim })) });
    await settle();
    await gateway.clock.advance(5_000);
    const first = await gateway.next('heartbeat');
    expect(first.body['claims']).toHaveLength(100);
    expect(JSON.stringify(first.body).length).toBeLessThan(100_000);
    first.answer({ claims: claims.map((claim) => ({ claim, state: 'held', leaseMs: 15_000 })) });
    await settle();
    await gateway.clock.advance(5_000);
    const second = await gateway.next('heartbeat');
    expect((second.body['claims'] as object[])[1]).toMatchObject({ log: expect.anything() });
  });

  it('stops the work once nine tenths of it have gone unheard, and nothing is told', async () => {
    const gateway = new ScriptedGateway();
    const { handle, stops } = held();
    (await gateway.start(handle)).answer({ items: [itemOf()] });
    await gateway.clock.advance(13_499);
    expect(stops).toEqual([]);
    await gateway.clock.advance(1);
    expect(stops).toMatchObject([{ kind: 'lost', withinMs: 1_500 }]);
    expect(await gateway.waiting()).not.toContain('fail');
  });

  it('ends with the time of the attempt, which the failure is named after', async () => {
    const gateway = new ScriptedGateway();
    const { handle, stops } = held();
    (await gateway.start(handle)).answer({ items: [itemOf({ attemptTimeLeftMs: 2_000 })] });
    await settle();
    await gateway.clock.advance(2_000);
    expect((await gateway.next('fail')).body).toMatchObject({ code: 'TIMED_OUT', retryable: true });
    expect(stops).toMatchObject([{ kind: 'cancelled', withinMs: 10_000 }]);
  });

  it('ends when a cancel is told: the work has the time that was said', async () => {
    const gateway = new ScriptedGateway();
    const { handle, stops } = held();
    (await gateway.start(handle)).answer({ items: [itemOf()] });
    await gateway.clock.advance(5_000);
    const cancel = { state: 'cancelled', reason: 'rolled_back', stopWithinMs: 10_000 };
    (await gateway.next('heartbeat')).answer({ claims: [{ claim: 'claim-1', ...cancel }] });
    const told = await gateway.next('fail');
    expect(stops).toMatchObject([{ kind: 'cancelled', reason: 'rolled_back', withinMs: 10_000 }]);
    expect(told.body).toMatchObject({ code: 'CANCELLED', retryable: true });
  });

  it('must be held before the command is entered, where nothing may run twice', async () => {
    const gateway = new ScriptedGateway();
    let entered = 0;
    const poll = await gateway.start(async () => {
      entered += 1;
      return DONE;
    });
    poll.answer({ items: [itemOf({ confirm: true })] });
    const beat = await gateway.next('heartbeat');
    expect(entered).toBe(0);
    beat.answer({ claims: [{ claim: 'claim-1', state: 'held', leaseMs: 30_000 }] });
    await gateway.next('complete');
    expect(entered).toBe(1);
  });
});

describe('the end of a worker', () => {
  it('waits for what runs, whose leases are renewed, and says good-bye', async () => {
    const gateway = new ScriptedGateway();
    const { finish, handle } = held();
    const ended = gateway.run(handle);
    (await gateway.next('PUT')).answer({ heartbeatMs: 10_000 });
    (await gateway.next('poll')).answer({ items: [itemOf()] });
    await gateway.next('poll');
    gateway.stop.abort();
    await gateway.clock.advance(5_000);
    const beat = await gateway.next('heartbeat');
    beat.answer({ claims: [{ claim: 'claim-1', state: 'held', leaseMs: 30_000 }] });
    finish();
    (await gateway.next('complete')).answer({ taskStatus: 2 });
    (await gateway.next('DELETE')).answer({}, 204);
    await ended;
    expect(await gateway.waiting()).toEqual([]);
  });

  it('comes at once where the gateway refuses it', async () => {
    const gateway = new ScriptedGateway();
    const ended = gateway.run(async () => DONE);
    (await gateway.next('PUT')).answer({ code: 'PROTOCOL_UNSUPPORTED' }, 400);
    (await gateway.next('DELETE')).answer();
    await expect(ended).rejects.toThrow('400 PROTOCOL_UNSUPPORTED');
  });
});

describe('an outcome', () => {
  it('is repeated until it is answered, with heartbeats in between', async () => {
    const gateway = new ScriptedGateway();
    (await gateway.start(async () => DONE)).answer({ items: [itemOf()] });
    (await gateway.next('complete')).break();
    await gateway.clock.advance(100);
    const again = await gateway.next('complete');
    expect(again.body).toEqual({ output: { paid: true } });
    await gateway.clock.advance(5_000);
    await gateway.next('heartbeat');
    again.answer({ taskStatus: 2 });
  });

  it.each([404, 302])(
    'is repeated where a proxy answers %i in place of the gateway',
    async (status) => {
      const gateway = new ScriptedGateway();
      (await gateway.start(async () => DONE)).answer({ items: [itemOf()] });
      (await gateway.next('complete')).answer({}, status);
      await gateway.clock.advance(100);
      (await gateway.next('complete')).answer({ code: 'TASK_GONE' }, 410);
      await gateway.clock.advance(100);
      expect(await gateway.waiting()).not.toContain('complete');
    },
  );

  it('is given up after three leases, and told a last time then', async () => {
    const gateway = new ScriptedGateway();
    (await gateway.start(async () => DONE)).answer({ items: [itemOf()] });
    const told: number[] = [];
    while (!gateway.said.join('\n').includes('did not hear how it ended')) {
      await settle();
      for (const asked of gateway.asked.splice(0)) {
        if (asked.request.at.includes('complete')) told.push(asked.at);
        asked.break();
      }
      await gateway.clock.advance(100);
    }
    expect(told.at(-1)! - told[0]!).toBe(45_000);
  });

  it.each([
    [413, { code: 'OUTPUT_TOO_LARGE' }],
    [400, {}],
  ])(
    'that is refused with %d becomes a failure for good, or the action would begin again',
    async (status, expected) => {
      const gateway = new ScriptedGateway();
      (await gateway.start(async () => DONE)).answer({ items: [itemOf()] });
      (await gateway.next('complete')).answer({ code: 'REFUSED' }, status);
      const failure = await gateway.next('fail');
      expect(failure.body).toMatchObject({ ...expected, retryable: false });
    },
  );

  it.each([{ code: 'bad code' }, { afterMs: 1e12 }])(
    'that is a failure which is refused for %j is told without that, and keeps its kind',
    async (wrong) => {
      const gateway = new ScriptedGateway();
      const failed: Outcome = { kind: 'fail', message: 'no host', retryable: false, ...wrong };
      (await gateway.start(async () => failed)).answer({ items: [itemOf()] });
      (await gateway.next('fail')).answer({ code: 'INVALID_REQUEST', detail: 'Wrong.' }, 400);
      const message = 'the gateway refused the outcome: 400 INVALID_REQUEST: Wrong.; no host';
      expect((await gateway.next('fail')).body).toEqual({ message, retryable: false });
    },
  );

  it.each([400, 413])(
    'that is a failure which is refused with %d for its words is told in others, and only once',
    async (status) => {
      const gateway = new ScriptedGateway();
      const poll = await gateway.start(async (attempt) => {
        attempt.say('full');
        return { kind: 'fail', message: 'no \ud83d host', retryable: true };
      });
      poll.answer({ items: [itemOf()] });
      const first = await gateway.next('fail');
      expect(first.body).toMatchObject({ message: 'no \ufffd host', log: [{ message: 'full' }] });
      first.answer({ code: 'REFUSED' }, status);
      const second = await gateway.next('fail');
      expect(second.body).toEqual({ message: expect.stringMatching(/^[ -~]+$/), retryable: true });
      second.answer({ code: 'REFUSED' }, status);
      expect(await gateway.waiting()).toEqual(['poll']);
    },
  );

  it('of a command that throws is a failure that may be retried, and its message is cut', async () => {
    const gateway = new ScriptedGateway();
    const poll = await gateway.start(async () => {
      throw new Error('ä'.repeat(9_000));
    });
    poll.answer({ items: [itemOf()] });
    const { body } = await gateway.next('fail');
    expect(body['retryable']).toBe(true);
    expect(Buffer.byteLength(String(body['message']))).toBeLessThanOrEqual(8_192);
    expect(String(body['message']).endsWith('ä...')).toBe(true);
  });
});

describe('work that goes on without its worker', () => {
  const settled: string[] = [];
  const elsewhere = (...resumed: WorkItem[]) => ({
    resumed,
    settled: ({ claim }: WorkItem): void => void settled.push(claim),
  });
  afterEach(() => void settled.splice(0));

  it('is left at the end: its claim is renewed once more, and no good-bye is said', async () => {
    const gateway = new ScriptedGateway();
    const { handle, stops } = held();
    const ended = gateway.run(handle, { elsewhere: elsewhere() });
    (await gateway.next('PUT')).answer({ heartbeatMs: 10_000 });
    (await gateway.next('poll')).answer({ items: [itemOf()] });
    await gateway.next('poll');
    gateway.stop.abort();
    const beat = await gateway.next('heartbeat');
    expect(stops).toEqual([]);
    beat.answer({ claims: [{ claim: 'claim-1', state: 'held', leaseMs: 30_000 }] });
    await ended;
    expect(stops).toMatchObject([{ kind: 'left' }]);
    expect([await gateway.waiting(), settled]).toEqual([[], []]);
  });

  it('is gone on with while its claim is held, and its outcome is told', async () => {
    const gateway = new ScriptedGateway();
    const { finish, handle } = held();
    await gateway.start(handle, { elsewhere: elsewhere(itemOf()) });
    const asked = await gateway.next('{claim}:heartbeat');
    expect(asked.request.path).toEqual({ claim: 'claim-1' });
    asked.answer({ state: 'held', leaseMs: 30_000 });
    await settle();
    finish();
    (await gateway.next('complete')).answer({ taskStatus: 2 });
    await settle();
    expect(settled).toEqual(['claim-1']);
  });

  it('may be any number of claims, without a warning of Node', async () => {
    const warned: string[] = [];
    const take = ({ message }: Error): void => void warned.push(message);
    process.on('warning', take);
    const gateway = new ScriptedGateway();
    const resumed = Array.from({ length: 20 }, (_, index) => itemOf({ claim: `claim-${index}` }));
    await gateway.start(async () => DONE, { slots: 40, elsewhere: elsewhere(...resumed) });
    await gateway.next('{claim}:heartbeat');
    await new Promise(setImmediate);
    process.off('warning', take);
    expect(warned).toEqual([]);
  });

  it('takes the slots of new work, also where there are more of it than slots', async () => {
    const gateway = new ScriptedGateway();
    const gates = new Map<string, () => void>();
    const handle: Handler = async ({ item }) => {
      await new Promise<void>((resolve) => gates.set(item.claim, resolve));
      return DONE;
    };
    const claims = ['a', 'b', 'c'];
    const resumed = claims.map((claim) => itemOf({ claim, leaseMs: 300_000 }));
    void gateway.run(handle, { slots: 2, elsewhere: elsewhere(...resumed) });
    (await gateway.next('PUT')).answer({ heartbeatMs: 10_000 });
    for (const _ of claims) (await gateway.next('heartbeat')).answer({ state: 'held' });
    await settle();
    gates.get('a')!();
    (await gateway.next('complete')).answer();
    expect(await gateway.waiting()).toEqual([]);
    gates.get('b')!();
    (await gateway.next('complete')).answer();
    expect((await gateway.next('poll')).body).toMatchObject({ max: 1 });
  });

  it.each([
    ['lost', 200, { state: 'lost', reason: 'superseded' }],
    ['not known any more', 410, { code: 'TASK_GONE' }],
  ])('is ended where its claim is %s', async (_, status, body) => {
    const gateway = new ScriptedGateway();
    const { handle, stops } = held();
    await gateway.start(handle, { elsewhere: elsewhere(itemOf()) });
    (await gateway.next('{claim}:heartbeat')).answer(body, status);
    await settle();
    expect(stops).toMatchObject([{ kind: 'lost' }]);
    expect([await gateway.waiting(), settled]).toEqual([[], ['claim-1']]);
  });
});
