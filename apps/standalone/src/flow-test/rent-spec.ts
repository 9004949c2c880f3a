import { Module } from '@nestjs/common';
import { Command, type CommandContext, completeLater, Executor, lookAgain } from '#executor';
import type { OwnModules } from '../own-modules.js';

/** Calls of commands, as `step:direction` and the attempt. */
export const calls: string[] = [];

const action = (command: string, more: object = {}) => {
  return { module: 'gpu', command, timeout: '30s', ...more };
};
const pair = (name: string, more: object = {}) => {
  return { name, normal: action('make', more), rollback: action('unmake', { retry: 2 }) };
};

/** Flows of a company that rents machines: what a flow test has to drive. */
export const FLOWS = {
  rent: {
    input: { type: 'object', properties: { machines: { type: 'array' } } },
    steps: [
      pair('order'),
      { name: 'ask', approve: { title: 'rent them?', timeout: '2d' } },
      {
        name: 'machines',
        foreach: {
          in: '{% machines %}',
          as: 'machine',
          concurrency: 2,
          steps: [pair('install'), pair('network')],
        },
      },
      { name: 'bill', normal: action('later'), rollback: action('unmake') },
    ],
  },
  waits: [
    { name: 'rest', wait: { for: '300d' } },
    { name: 'looks', normal: { ...action('looks'), timeout: '2h' } },
    { name: 'paid', wait: { signal: 'paid', timeout: '1h' } },
  ],
  retries: [
    pair('first'),
    {
      name: 'second',
      normal: action('make', { retry: { attempts: 3, delay: '1h' }, timeout: '1d' }),
    },
    pair('third'),
  ],
  nested: [
    { name: 'tries', group: [pair('inside')], retry: { attempts: 2 } },
    { name: 'pick', choice: [{ name: 'big', when: '{% true %}', steps: [pair('chosen')] }] },
    { name: 'beside', parallel: { left: [pair('here')], right: [pair('there')] } },
    {
      name: 'rounds',
      loop: { steps: [pair('round')], until: '{% $steps.round.count >= 2 %}', max: 2 },
    },
    { name: 'child', flow: { name: 'part' } },
  ],
  part: [pair('deep')],
  family: [{ name: 'each', foreach: { in: [1, 2], as: 'n', concurrency: 1, flow: 'member' } }],
  member: [
    { name: 'sure', approve: { title: 'sure?' } },
    { name: 'told', wait: { signal: 'told' } },
    { name: 'left', normal: action('later'), rollback: action('laterUndone') },
    pair('last'),
  ],
  caught: [{ ...pair('risky'), catch: [{ errors: ['QUOTA'], steps: [pair('instead')] }] }],
  locked: {
    input: {},
    locks: [{ name: 'customer', slots: 1 }],
    steps: [{ name: 'ask', approve: { title: 'sure?' } }],
  },
  asks: [
    {
      name: 'call',
      normal: {
        module: 'http',
        command: 'request',
        timeout: '5s',
        parameters: { method: 'GET', url: '{% url %}' },
      },
    },
  ],
  alerts: [pair('only')],
  hangs: [{ name: 'stuck', normal: action('hang', { timeout: '10m' }) }],
};

/** The commands of these flows; `make` fails where it is told to. */
@Executor('gpu')
class GpuExecutor {
  @Command('make')
  make(_parameters: object, { attempt, step }: CommandContext): object {
    calls.push(`${step} ${attempt}`);
    return { count: calls.filter((call) => call.startsWith(`${step} `)).length };
  }

  @Command('unmake')
  unmake(_parameters: object, { step }: CommandContext): void {
    calls.push(`undo ${step}`);
  }

  @Command('later')
  later(): object {
    return completeLater({ timeout: '20s' });
  }

  @Command('laterUndone')
  laterUndone(): object {
    return completeLater();
  }

  @Command('looks')
  looks(_parameters: object, { taskId }: CommandContext): object {
    calls.push(`looks ${taskId}`);
    return calls.filter((call) => call.endsWith(taskId)).length < 3 ? lookAgain('30m') : {};
  }

  @Command('hang')
  hang(): Promise<never> {
    return new Promise(() => undefined);
  }
}

@Module({ controllers: [GpuExecutor] })
class GpuModule {}

/** A monitor and a client of HTTP that the test has made itself. */
@Executor('monitor')
class FakeMonitor {
  @Command('report_event')
  report(): object {
    return { fake: true };
  }
}

@Module({ controllers: [FakeMonitor] })
class FakeModule {}

/** All modules of these flows. */
export const RENT_MODULES: OwnModules = [GpuModule, FakeModule];
