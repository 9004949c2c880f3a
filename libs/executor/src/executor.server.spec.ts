import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Logger, Module, Scope, type Type } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { Expose, Type as TypeOf } from 'class-transformer';
import { EMPTY, of } from 'rxjs';
import type { Outcome } from '#core';
import { type CommandContext as PortContext, StoreUnavailable } from '#ports';
import { commandContext, ManualClock } from '#testing';
import {
  Command,
  type CommandContext,
  createExecutorApp,
  Executor,
  ExecutorServer,
  lookAgain,
  RetryableError,
  TerminalError,
} from './index.js';

Logger.overrideLogger(false);

@Injectable()
class Images {
  find(name: string): string {
    return `image of ${name}`;
  }
}

class Disk {
  @IsInt()
  @Min(1)
  sizeGb!: number;
}

class InitParameters {
  @IsInt()
  @Min(1)
  cpu!: number;

  @IsOptional()
  @IsString()
  name?: string;

  @ValidateNested()
  @TypeOf(() => Disk)
  disk!: Disk;

  @Expose({ name: 'db_engine' })
  @IsOptional()
  @IsString()
  engine?: string;

  get label(): string {
    return `${this.name ?? 'unnamed'}/${this.cpu}`;
  }
}

@Executor('mysql')
class MysqlExecutor {
  constructor(private readonly images: Images) {}

  @Command('init_instance')
  init(parameters: InitParameters, context: CommandContext): object {
    const image = this.images.find(parameters.name ?? 'nobody');
    const members = Object.keys(parameters).sort();
    const { disk, engine, label } = parameters;
    const isDisk = disk instanceof Disk;
    return { image, label, members, isDisk, engine, key: context.idempotencyKey };
  }

  @Command('echo')
  async echo(bag: Record<string, unknown>): Promise<object> {
    return { bag: await Promise.resolve(bag) };
  }

  @Command('stream')
  stream() {
    return of({ part: 1 }, { part: 2 });
  }

  @Command('silent_stream')
  silentStream() {
    return EMPTY;
  }

  @Command('wait')
  wait() {
    return lookAgain('10s');
  }

  @Command('nothing')
  nothing(): void {}
}

@Executor('mysql')
class FailingExecutor {
  @Command('refuse')
  refuse(): never {
    throw new TerminalError('no such image\n    and a second line');
  }

  @Command('be_busy')
  beBusy(): never {
    throw new RetryableError('busy', { after: '5s' });
  }

  @Command('break')
  async break(): Promise<void> {
    await Promise.resolve();
    throw new Error(`socket hang up ${'x'.repeat(1_000)}`);
  }

  @Command('miss_its_store')
  missItsStore(): never {
    throw new StoreUnavailable('MongoDB does not answer: connection closed');
  }

  @Command('throw_code')
  throwCode(): never {
    throw Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  }
}

@Injectable({ scope: Scope.REQUEST })
class PerCall {
  constructor(@Inject(REQUEST) readonly request: { getContext(): CommandContext }) {}
}

@Executor('mysql')
class ScopedExecutor {
  constructor(private readonly call: PerCall) {}

  @Command('who_asks')
  whoAsks(): object {
    return { attempt: this.call.request.getContext().attempt };
  }

  @Command('refuse_scoped')
  refuse(): never {
    throw new TerminalError('no');
  }
}

async function serve(controllers: Type[], maxOutputBytes?: number): Promise<ExecutorServer> {
  @Module({ controllers, providers: [Images, PerCall] })
  class App {}
  const options = maxOutputBytes === undefined ? {} : { maxOutputBytes };
  const server = new ExecutorServer({ clock: new ManualClock(), ...options });
  const app = await createExecutorApp(App, server);
  await app.init();
  return server;
}

async function run(
  server: ExecutorServer,
  command: string,
  parameters: PortContext['parameters'] = {},
): Promise<Outcome> {
  const handler = server.find('mysql', command);
  if (handler === undefined) throw new Error(`no command ${command}`);
  return handler.run(commandContext({ parameters, command }));
}

describe('an executor server', () => {
  it('lists the commands of all executors of a module', async () => {
    const server = await serve([MysqlExecutor, FailingExecutor]);
    expect(server.modules()).toEqual(['mysql']);
    expect(server.commands('mysql')).toEqual(
      expect.arrayContaining(['init_instance', 'echo', 'refuse']),
    );
    expect(server.commands('nobody')).toEqual([]);
    expect(server.find('mysql', 'nothing_such')).toBeUndefined();
    expect(server.find('nobody', 'echo')).toBeUndefined();
  });

  it('refuses two methods for one command', async () => {
    @Executor('mysql')
    class Other {
      @Command('echo')
      again(): void {}
    }
    await expect(serve([MysqlExecutor, Other])).rejects.toThrow(
      'both MysqlExecutor.echo and Other.again are the command mysql.echo',
    );
  });

  it('lets a class that extends an executor serve the same commands of another module', async () => {
    @Executor('mariadb')
    class MariaExecutor extends MysqlExecutor {}
    const server = await serve([MysqlExecutor, MariaExecutor]);
    expect(server.modules()).toEqual(['mysql', 'mariadb']);
    expect(server.commands('mariadb')).toEqual(server.commands('mysql'));
  });

  it('refuses names that no queue or flow could have', () => {
    expect(() => Executor('my.sql')).toThrow('no name of a module');
    expect(() => Command('')).toThrow('no name of a command');
  });
});

describe('a command', () => {
  it('gets what its class declares, as an instance, and what its constructor asked for', async () => {
    const server = await serve([MysqlExecutor]);
    const parameters = { cpu: 4, name: 'db', disk: { sizeGb: 10 }, db_engine: 'innodb', other: 1 };
    expect(await run(server, 'init_instance', parameters)).toEqual({
      kind: 'succeeded',
      output: {
        image: 'image of db',
        label: 'db/4',
        members: ['cpu', 'disk', 'engine', 'name'],
        isDisk: true,
        engine: 'innodb',
        key: 'task-1:step:normal',
      },
    });
  });

  it('is not run with parameters its class does not allow', async () => {
    const server = await serve([MysqlExecutor]);
    const outcome = await run(server, 'init_instance', { cpu: '4', name: 5, disk: { sizeGb: 0 } });
    expect(outcome).toMatchObject({
      kind: 'failed',
      terminal: true,
      failure: 'INVALID_PARAMETERS',
    });
    const { message } = outcome as { message: string };
    expect(message).toContain('cpu must be an integer number');
    expect(message).toContain('name must be a string');
    expect(message).toContain('disk.sizeGb must not be less than 1');
  });

  it('gets all parameters as they are where its type is no class', async () => {
    const server = await serve([MysqlExecutor]);
    const outcome = await run(server, 'echo', { a: 1, b: [true] });
    expect(outcome).toEqual({ kind: 'succeeded', output: { bag: { a: 1, b: [true] } } });
  });

  it.each([
    ['stream', { kind: 'succeeded', output: { part: 2 } }],
    ['silent_stream', { kind: 'succeeded', output: null }],
    ['wait', { kind: 'not_finished', afterMs: 10_000 }],
    [
      'miss_its_store',
      {
        kind: 'not_finished',
        afterMs: 2_000,
        message: 'MongoDB does not answer: connection closed',
      },
    ],
    ['nothing', { kind: 'succeeded', output: null }],
    ['refuse', failed({ terminal: true, message: 'no such image' })],
    ['be_busy', failed({ terminal: false, message: 'busy', afterMs: 5_000 })],
    ['throw_code', failed({ terminal: false, message: 'ECONNREFUSED' })],
  ])('%s comes to its outcome', async (command, outcome) => {
    const server = await serve([MysqlExecutor, FailingExecutor]);
    const told = (await run(server, command)) as Outcome & { intended?: true; stack?: string };
    const { intended: _, stack: __, ...rest } = told;
    expect(rest).toEqual(outcome);
  });

  it('fails with its own words, one line of them, when it breaks', async () => {
    const outcome = await run(await serve([FailingExecutor]), 'break');
    expect(outcome).toMatchObject({ kind: 'failed', terminal: false, failure: 'FAILED' });
    const { message } = outcome as { message: string };
    expect(message).toMatch(/^socket hang up x+…$/);
    expect(message).toHaveLength(500);
  });

  it('may belong to an executor that is made anew for every call', async () => {
    const server = await serve([ScopedExecutor]);
    const output = { attempt: 1 };
    expect(await run(server, 'who_asks')).toEqual({ kind: 'succeeded', output });
    expect(await run(server, 'refuse_scoped')).toMatchObject({ terminal: true, message: 'no' });
  });

  it('fails when its output is larger than allowed', async () => {
    const server = await serve([MysqlExecutor], 100);
    expect(await run(server, 'echo', { text: 'x'.repeat(70) })).toMatchObject({
      kind: 'succeeded',
    });
    expect(await run(server, 'echo', { text: 'x'.repeat(200) })).toEqual({
      kind: 'failed',
      terminal: true,
      failure: 'OUTPUT_TOO_LARGE',
      message: 'the output has more than 100 bytes',
    });
  });
});

function failed(rest: object): object {
  return { kind: 'failed', failure: 'FAILED', ...rest };
}
