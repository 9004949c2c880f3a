import { describe, expect, it, jest } from '@jest/globals';
import { declaredCommands } from '#executor';
import { commandContext, ManualClock, settle } from '#testing';
import { EffectExecutor } from './effect.executor.js';
import { LaterExecutor } from './later.executor.js';
import { PracticeExecutor } from './practice.executor.js';

function newExecutor() {
  const clock = new ManualClock();
  return { clock, executor: new PracticeExecutor(clock) };
}

it('a flow that leaves out a duration is refused before it runs', () => {
  const { parametersOf } = declaredCommands([EffectExecutor, LaterExecutor]);
  expect(parametersOf('lab', 'again')).toMatchObject({ required: ['times', 'delay'] });
  expect(parametersOf('lab', 'later')).toMatchObject({ required: ['timeout'] });
});

describe('the practice commands', () => {
  it('succeed hands on its output, and nothing where it has none', () => {
    const { executor } = newExecutor();
    expect(executor.succeed({ output: { a: 1 }, other: 2 })).toEqual({ a: 1 });
    expect(executor.succeed({})).toBeNull();
    expect(() => executor.succeed({ output: 'text' })).toThrow('output must be an object');
  });

  it('fail fails for good or for now, with the message it was given', () => {
    const { executor } = newExecutor();
    const failure = (kind: 'terminal' | 'retryable', message?: string) => {
      try {
        return executor.fail({ kind, message: message ?? null });
      } catch (error) {
        return error;
      }
    };
    expect(failure('terminal', 'no')).toMatchObject({ name: 'TerminalError', message: 'no' });
    expect(failure('retryable')).toMatchObject({ name: 'RetryableError' });
  });

  it('flaky fails as many attempts as it was told', () => {
    const { executor } = newExecutor();
    const run = (attempt: number) => () => {
      executor.flaky({ failures: 2 }, commandContext({ attempt }));
    };
    expect(run(1)).toThrow('told to fail: attempt 1 of 2');
    expect(run(2)).toThrow();
    expect(run(3)).not.toThrow();
  });

  it('flaky fails in as many tries of the innermost group as it was told', () => {
    const { executor } = newExecutor();
    const run = (run: string) => () => {
      executor.flaky({ failures: 0, tries: 1 }, commandContext({ run }));
    };
    expect(run('g#1/a')).toThrow('told to fail: try 1 of 1');
    expect(run('g#2/i#1/a')).toThrow();
    expect(run('g#1/i#2/a~2')).not.toThrow();
    expect(run('a')).toThrow();
  });

  it('sleep ends after its time', async () => {
    const { clock, executor } = newExecutor();
    const slept = executor.sleep({ ms: 500 }, commandContext());
    await clock.advance(500);
    await expect(slept).resolves.toBeUndefined();
  });

  it('sleep obeys the signal, hang does not', async () => {
    const { clock, executor } = newExecutor();
    const stop = new AbortController();
    const context = commandContext({ signal: stop.signal });
    const slept = executor.sleep({ ms: 500 }, context);
    let hung = true;
    const hanging = executor.hang({ ms: 500 }).then(() => (hung = false));
    stop.abort(new Error('stopped'));
    await expect(slept).rejects.toThrow('stopped');
    expect(hung).toBe(true);
    await clock.advance(500);
    await hanging;
    expect(hung).toBe(false);
  });

  it('output hands on so much text', () => {
    const { executor } = newExecutor();
    expect(JSON.stringify(executor.output({ bytes: 100 })).length).toBeGreaterThan(100);
  });

  it('crash ends its own process by SIGKILL and answers nothing', async () => {
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    let answered = false;
    void new PracticeExecutor(new ManualClock()).crash().then(() => (answered = true));
    await settle();
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGKILL']]);
    expect(answered).toBe(false);
    kill.mockRestore();
  });
});
