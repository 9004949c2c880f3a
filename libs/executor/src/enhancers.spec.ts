import { describe, expect, it, jest } from '@jest/globals';
import {
  BadRequestException,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  type INestMicroservice,
  Logger,
  Module,
  type NestInterceptor,
  ServiceUnavailableException,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { RpcException } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { IsInt } from 'class-validator';
import { map, type Observable, of } from 'rxjs';
import type { Outcome } from '#core';
import { commandContext, ManualClock } from '#testing';
import {
  Command,
  type CommandContext,
  connectExecutors,
  createExecutorApp,
  Executor,
  ExecutorServer,
  TerminalError,
} from './index.js';
import { Stamp } from './pipes-spec.js';

Logger.overrideLogger(false);

class Quota extends Error {}

@Injectable()
class OnlyNewTokens implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const command = context.switchToRpc().getContext<CommandContext>();
    if (command.attempt === 13) throw new ForbiddenException('not on the thirteenth');
    return command.fencingToken > 0;
  }
}

class Wrap implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<object>): Observable<object> {
    return next.handle().pipe(map((value) => ({ wrapped: value })));
  }
}

@Catch(Quota)
class QuotaFilter {
  catch(error: Quota): Observable<object> {
    return of({ quota: error.message });
  }
}

@Catch(Quota)
class QuotaIsFinal {
  catch(error: Quota): never {
    throw new TerminalError(`over quota: ${error.message}`);
  }
}

class Size {
  @IsInt()
  size!: number;
}

@Executor('trial')
class TrialExecutor {
  @Command('plain')
  plain(parameters: object): object {
    return { ...parameters };
  }

  @UseGuards(OnlyNewTokens)
  @Command('guarded')
  guarded(): void {}

  @Command('guarded_below')
  @UseGuards(OnlyNewTokens)
  guardedBelow(): void {}

  @Command('wrapped')
  @UseInterceptors(Wrap)
  async wrapped(): Promise<object> {
    return Promise.resolve({ done: true });
  }

  @UsePipes(Stamp)
  @Command('stamped')
  stamped(parameters: object): object {
    return { ...parameters };
  }

  @UsePipes(new ValidationPipe())
  @Command('twice_checked')
  twiceChecked({ size }: Size): object {
    return { size };
  }

  @Command('over_quota')
  overQuota(): never {
    throw new Quota('3 of 3');
  }

  @UseFilters(QuotaFilter)
  @Command('filtered')
  filtered(): never {
    throw new Quota('3 of 3');
  }

  @UseFilters(QuotaFilter)
  @Command('filtered_stream')
  @UseInterceptors(Wrap)
  async filteredStream(): Promise<never> {
    return Promise.reject(new Quota('2 of 2'));
  }

  @Command('throws')
  throws({ what }: { what: string }): never {
    if (what === 'rpc') throw new RpcException('a rule of the house');
    if (what === 'bad_request') throw new BadRequestException(['a is wrong', 'b is wrong']);
    throw new ServiceUnavailableException('later');
  }
}

async function bare(
  providers: object[] = [],
  adjust: (app: INestMicroservice) => void = () => {},
): Promise<ExecutorServer> {
  @Module({ controllers: [TrialExecutor], providers: providers as Type[] })
  class App {}
  const server = new ExecutorServer({ clock: new ManualClock() });
  const app = await createExecutorApp(App, server);
  adjust(app);
  await app.init();
  return server;
}

function run(
  server: ExecutorServer,
  command: string,
  changes: Partial<CommandContext> = {},
): Promise<Outcome> {
  const handler = server.find('trial', command);
  if (handler === undefined) throw new Error(`no command ${command}`);
  return handler.run(commandContext(changes));
}

describe('on a command', () => {
  it.each(['guarded', 'guarded_below'])('a guard decides: %s', async (command) => {
    const server = await bare();
    expect(await run(server, command)).toMatchObject({ kind: 'succeeded' });
    const refused = { kind: 'failed', terminal: true, failure: 'FAILED' };
    expect(await run(server, command, { fencingToken: 0 })).toMatchObject(refused);
    const message = 'not on the thirteenth';
    expect(await run(server, command, { attempt: 13 })).toMatchObject({ ...refused, message });
  });

  it('an interceptor may change the result', async () => {
    const output = { wrapped: { done: true } };
    expect(await run(await bare(), 'wrapped')).toEqual({ kind: 'succeeded', output });
  });

  it('a pipe may change the parameters', async () => {
    const outcome = await run(await bare(), 'stamped', { parameters: { a: 1 } });
    expect(outcome).toEqual({ kind: 'succeeded', output: { a: 1, stamped: true } });
  });

  it("Nest's own validation means what ours does", async () => {
    const outcome = await run(await bare(), 'twice_checked', { parameters: { size: 'x' } });
    const message = 'size must be an integer number';
    const failure = 'INVALID_PARAMETERS';
    expect(outcome).toEqual({ kind: 'failed', terminal: true, failure, message });
  });

  it("an exception filter's value is the output, of a stream as well", async () => {
    const server = await bare();
    const outcome = { kind: 'succeeded', output: { quota: '3 of 3' } };
    expect(await run(server, 'filtered')).toEqual(outcome);
    expect(await run(server, 'filtered_stream')).toMatchObject({ output: { quota: '2 of 2' } });
  });

  it.each([
    ['rpc', { terminal: true, failure: 'FAILED', message: 'a rule of the house' }],
    [
      'bad_request',
      { terminal: true, failure: 'INVALID_PARAMETERS', message: 'a is wrong; b is wrong' },
    ],
    ['unavailable', { terminal: false, failure: 'FAILED', message: 'later' }],
  ])('an exception of Nest goes by its type: %s', async (what, rest) => {
    const outcome = await run(await bare(), 'throws', { parameters: { what } });
    expect(outcome).toMatchObject({ kind: 'failed', ...rest });
  });

  it('an error that nobody maps keeps its words', async () => {
    const outcome = await run(await bare(), 'over_quota');
    const message = '3 of 3';
    expect(outcome).toMatchObject({ kind: 'failed', terminal: false, failure: 'FAILED', message });
  });
});

describe('enhancers of a whole application of executors', () => {
  it('apply, registered by code or by token', async () => {
    const filter = await bare([{ provide: APP_FILTER, useClass: QuotaIsFinal }]);
    const outcome = { terminal: true, message: 'over quota: 3 of 3' };
    expect(await run(filter, 'over_quota')).toMatchObject(outcome);
    const guard = await bare([{ provide: APP_GUARD, useClass: OnlyNewTokens }]);
    expect(await run(guard, 'plain', { fencingToken: 0 })).toMatchObject({ terminal: true });
    const pipe = await bare([], (app) => app.useGlobalPipes(new Stamp()));
    expect(await run(pipe, 'plain')).toMatchObject({ output: { stamped: true } });
    const wrap = await bare([], (app) => app.useGlobalInterceptors(new Wrap()));
    expect(await run(wrap, 'plain')).toMatchObject({ output: { wrapped: {} } });
    const late = await bare([], (app) => app.useGlobalFilters(new QuotaIsFinal()));
    expect(await run(late, 'over_quota')).toMatchObject(outcome);
  });

  it('are not those of the web in an application that has both', async () => {
    const everything = { provide: APP_GUARD, useValue: { canActivate: () => false } };
    const onModuleInit = jest.fn();
    const testing = await Test.createTestingModule({
      controllers: [TrialExecutor],
      providers: [everything, { provide: 'counted', useValue: { onModuleInit } }],
    }).compile();
    const app = testing.createNestApplication(new FastifyAdapter());
    const server = new ExecutorServer({ clock: new ManualClock() });
    const executors = connectExecutors(app, server);
    executors.useGlobalFilters(new QuotaIsFinal());
    await app.startAllMicroservices();
    await app.init();
    expect(onModuleInit).toHaveBeenCalledTimes(1);
    expect(await run(server, 'plain')).toMatchObject({ kind: 'succeeded' });
    expect(await run(server, 'over_quota')).toMatchObject({ message: 'over quota: 3 of 3' });
    await app.close();
  });
});
