import { describe, expect, it, jest } from '@jest/globals';
import { createParamDecorator, Logger, Module, UsePipes } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { RpcContextCreator } from '@nestjs/microservices/context/rpc-context-creator.js';
import { IsInt } from 'class-validator';
import { commandContext, ManualClock } from '#testing';
import {
  Command,
  type CommandContext,
  createExecutorApp,
  Executor,
  ExecutorServer,
} from './index.js';
import { Stamp } from './pipes-spec.js';

Logger.overrideLogger(false);

class Size {
  @IsInt()
  size!: number;
}

const Later = createParamDecorator(() => Promise.resolve({ later: true }));

@Executor('bare')
class BareExecutor {
  @Command('plain')
  plain(parameters: object, { taskId }: CommandContext): object {
    return { ...parameters, taskId };
  }

  @Command('checked')
  checked({ size }: Size): object {
    return { size };
  }

  @Command('own_pipe')
  ownPipe(@Payload(new Stamp()) parameters: object): object {
    return { ...parameters };
  }

  @Command('later')
  later(@Later() given: object): object {
    return { ...given };
  }
}

@UsePipes(Stamp)
@Executor('stamped')
class StampedExecutor {
  @Command('plain')
  plain(parameters: object): object {
    return { ...parameters };
  }
}

/** Runs `module.command` and tells its output, and how many values Nest passed through pipes. */
async function run(path: string): Promise<readonly [unknown, number]> {
  @Module({ controllers: [BareExecutor, StampedExecutor] })
  class App {}
  const server = new ExecutorServer({ clock: new ManualClock() });
  const app = await createExecutorApp(App, server);
  await app.init();
  const passed = jest.spyOn(RpcContextCreator.prototype, 'getParamValue');
  const context = commandContext({ taskId: 't-1', parameters: { size: 3 } });
  const [module = '', command = ''] = path.split('.');
  const outcome = await server.find(module, command)?.run(context);
  const count = passed.mock.calls.length;
  passed.mockRestore();
  await app.close();
  return [outcome?.kind === 'succeeded' ? outcome.output : outcome, count];
}

describe('the arguments of a command', () => {
  it('go past Nest where no pipe looks at them', async () => {
    expect(await run('bare.plain')).toEqual([{ size: 3, taskId: 't-1' }, 0]);
  });

  it.each([
    ['of its parameter class', 'bare.checked', { size: 3 }],
    ['of a parameter', 'bare.own_pipe', { size: 3, stamped: true }],
    ['of its class, decorated last', 'stamped.plain', { size: 3, stamped: true }],
  ])('go through a pipe %s', async (_whose, command, output) => {
    expect(await run(command)).toEqual([output, 2]);
  });

  it("are waited for where an author's decorator promises them", async () => {
    expect(await run('bare.later')).toEqual([{ later: true }, 2]);
  });
});
