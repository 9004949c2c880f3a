import { describe, expect, it, jest } from '@jest/globals';
import { Logger, Module, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import { NEVER, Observable } from 'rxjs';
import type { Outcome } from '#core';
import type { CommandContext as PortContext } from '#ports';
import { commandContext, Gate, ManualClock, settle } from '#testing';
import {
  Command,
  type CommandContext,
  createExecutorApp,
  Executor,
  ExecutorServer,
} from './index.js';
import { ABORT_GRACE_MS } from './command-call.js';

Logger.overrideLogger(false);

class PassOn implements NestInterceptor {
  intercept: NestInterceptor['intercept'] = (_context, next) => next.handle();
}

let gate = new Gate<object>();
const torn = jest.fn();

@Executor('slow')
class SlowExecutor {
  @Command('wait')
  wait(): Promise<object> {
    return gate.passed;
  }

  @Command('wait_behind')
  @UseInterceptors(PassOn)
  waitBehind(): Promise<object> {
    return gate.passed;
  }

  @Command('obey')
  obey(_parameters: object, { signal }: CommandContext): Promise<object> {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ cleaned: String(signal.reason) }));
    });
  }

  @Command('stream')
  stream() {
    return new Observable<object>(() => torn);
  }

  @Command('bad_end')
  badEnd() {
    return new Observable<object>(() => () => {
      throw new Error('cannot be closed');
    });
  }

  @Command('hostile_behind')
  @UseInterceptors(PassOn)
  hostileBehind(): object {
    return Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new Error('not loaded');
      },
    });
  }

  @Command('throws_hostile')
  throwsHostile(): never {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    throw proxy;
  }

  @Command('revoked')
  revoked(): object {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  }

  @Command('never')
  never() {
    return NEVER;
  }
}

interface Trial {
  readonly clock: ManualClock;
  readonly outcome: Promise<Outcome>;
  readonly left: Promise<void>[];
  abort(reason: Error): void;
}

async function start(command: string, times: Partial<PortContext> = {}): Promise<Trial> {
  @Module({ controllers: [SlowExecutor] })
  class App {}
  gate = new Gate();
  torn.mockClear();
  const clock = new ManualClock();
  const server = new ExecutorServer({ clock });
  const app = await createExecutorApp(App, server);
  await app.init();
  const controller = new AbortController();
  const context = commandContext({ ...within60s(clock), ...times, signal: controller.signal });
  const left: Promise<void>[] = [];
  const handler = server.find('slow', command) as {
    run(context: PortContext, onLeft: (ended: Promise<void>) => void): Promise<Outcome>;
  };
  const outcome = handler.run(context, (ended) => left.push(ended));
  await settle();
  return { clock, outcome, left, abort: (reason) => controller.abort(reason) };
}

function within60s(clock: ManualClock): Partial<PortContext> {
  const attemptDeadline = clock.now() + 10_000;
  const timeLeft = () => attemptDeadline - clock.monotonic();
  return { attemptDeadline, deadline: clock.now() + 60_000, timeLeft };
}

describe('the time of a command', () => {
  it('is over at the end of the attempt: another one may do better', async () => {
    const { clock, outcome } = await start('wait');
    await clock.advance(10_000);
    const message = 'no result within 10 s';
    const failure = 'TIMED_OUT';
    expect(await outcome).toEqual({ kind: 'failed', terminal: false, failure, message });
  });

  it('is over for good at the end of all attempts', async () => {
    const deadline = new ManualClock().now() + 10_000;
    const whole = { deadline, attemptDeadline: deadline };
    const first = await start('wait', { ...whole, attempt: 1 });
    await first.clock.advance(10_000);
    expect(await first.outcome).toEqual({
      kind: 'timed_out',
      message: 'no result: its 10 s are over',
    });
    const second = await start('wait', { ...whole, attempt: 2 });
    await second.clock.advance(10_000);
    expect(await second.outcome).toEqual({
      kind: 'timed_out',
      message: 'no result: the time for all attempts is over, 10 s into this one',
    });
  });

  it('does not matter to a result that is in before', async () => {
    const { clock, outcome, left } = await start('wait');
    await clock.advance(9_999);
    gate.open({ done: true });
    expect(await outcome).toEqual({ kind: 'succeeded', output: { done: true } });
    expect(clock.timers).toBe(0);
    await clock.advance(60_000);
    expect(left).toEqual([]);
  });

  it.each(['wait', 'wait_behind'])('being over, tells when the command ends: %s', async (name) => {
    const { clock, outcome, left } = await start(name);
    await clock.advance(10_000);
    expect(await outcome).toMatchObject({ failure: 'TIMED_OUT' });
    expect(left).toHaveLength(1);
    const ended = jest.fn();
    void left[0]?.then(ended);
    await settle();
    expect(ended).not.toHaveBeenCalled();
    gate.open({});
    await settle();
    expect(ended).toHaveBeenCalled();
  });

  it('being over, ends a stream and leaves nothing behind', async () => {
    const { clock, outcome, left } = await start('stream');
    await clock.advance(10_000);
    expect(await outcome).toMatchObject({ failure: 'TIMED_OUT' });
    expect(torn).toHaveBeenCalled();
    expect(left).toEqual([]);
  });
});

describe('an aborted command', () => {
  it('answers by itself if it obeys', async () => {
    const { abort, outcome } = await start('obey');
    abort(new Error('called off'));
    expect(await outcome).toEqual({ kind: 'succeeded', output: { cleaned: 'Error: called off' } });
  });

  it.each(['wait', 'wait_behind'])('is not waited for if it does not: %s', async (command) => {
    const { abort, clock, left, outcome } = await start(command);
    abort(new Error('called off'));
    await clock.advance(ABORT_GRACE_MS);
    expect(await outcome).toEqual({ kind: 'handed_back', message: 'called off' });
    expect(left).toHaveLength(1);
  });

  it('that is a stream is ended at once', async () => {
    const { abort, outcome } = await start('stream');
    abort(new Error('called off'));
    expect(await outcome).toEqual({ kind: 'handed_back', message: 'called off' });
    expect(torn).toHaveBeenCalled();
  });

  it('is seen although the abort came in the turn it began in', async () => {
    const { abort, clock, outcome } = await start('never');
    abort(new Error('called off'));
    await settle();
    expect(await outcome).toMatchObject({ kind: 'handed_back' });
    expect(clock.timers).toBe(0);
  });
});

describe('what an author’s code throws where nobody waits', () => {
  it.each([
    ['hostile_behind', 'the output cannot be read: not loaded'],
    ['revoked', 'the output cannot be read: '],
    ['throws_hostile', 'the error cannot be read: '],
  ])('is the outcome of the attempt: %s', async (command, message) => {
    const { outcome } = await start(command);
    expect(await outcome).toMatchObject({
      kind: 'failed',
      terminal: true,
      failure: 'FAILED',
      message: expect.stringContaining(message) as unknown,
    });
  });

  it('is passed over at the end of a stream that nobody follows any more', async () => {
    const { clock, left, outcome } = await start('bad_end');
    await clock.advance(10_000);
    expect(await outcome).toMatchObject({ failure: 'TIMED_OUT' });
    expect(left).toEqual([]);
  });
});
