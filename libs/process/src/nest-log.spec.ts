import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger, Module } from '@nestjs/common';
import { Command, createExecutorApp, Executor, ExecutorServer } from '#executor';
import { createLogger } from '#platform';
import { commandContext, ManualClock } from '#testing';
import { NestLog } from './nest-log.js';

class Lines {
  readonly json: Record<string, unknown>[] = [];
  write(line: string): void {
    this.json.push(JSON.parse(line) as Record<string, unknown>);
  }
}

const lines = new Lines();
const log = new NestLog(createLogger({ level: 'debug', stream: lines }));

@Executor('gpu')
class GpuExecutor {
  readonly #logger = new Logger('gpu');

  @Command('order')
  async order(): Promise<object> {
    await Promise.resolve();
    return this.tell();
  }

  private tell(): object {
    this.#logger.warn('slow', 'today');
    Logger.error('no host');
    return {};
  }
}

@Module({ controllers: [GpuExecutor] })
class GpuModule {}

/** The lines that this writes, without their times. */
async function written(work: () => unknown): Promise<readonly object[]> {
  lines.json.length = 0;
  await work();
  for (const line of lines.json) delete line['time'];
  return lines.json;
}

afterEach(() => {
  Logger.overrideLogger(false);
});

describe("Nest's logger", () => {
  it('writes a line for each message, at its level', async () => {
    const all = await written(() => {
      log.log('a', 'b', 'Stock');
      log.fatal('c', 'Stock');
      log.verbose('d');
      log.debug({ size: 3 }, 'Stock');
    });
    expect(all).toEqual([
      { level: 'info', logger: 'Stock', msg: 'a' },
      { level: 'info', logger: 'Stock', msg: 'b' },
      { level: 'error', logger: 'Stock', msg: 'c' },
      { level: 'debug', msg: 'd' },
      { level: 'debug', logger: 'Stock', msg: '{ size: 3 }' },
    ]);
  });

  it('tells a stack trace from the name of a logger', async () => {
    const error = new Error('busy');
    const all = await written(() => {
      Logger.overrideLogger(log);
      const logger = new Logger('Stock');
      logger.error('with both', error.stack);
      logger.error('without');
      logger.error(error);
      Logger.error('static', error.stack);
    });
    const { stack } = error;
    expect(all).toEqual([
      { level: 'error', logger: 'Stock', stack, msg: 'with both' },
      { level: 'error', logger: 'Stock', msg: 'without' },
      { level: 'error', logger: 'Stock', stack, msg: 'busy' },
      { level: 'error', stack, msg: 'static' },
    ]);
  });

  it('is about the attempt in whose command it is called, and masks as that does', async () => {
    const server = new ExecutorServer({ clock: new ManualClock() });
    const own: unknown[] = [];
    const started = await written(async () => {
      Logger.overrideLogger(log);
      const app = await createExecutorApp(GpuModule, server);
      await app.init();
      server.useAttemptScope();
      const context = commandContext({ log: (...line) => own.push(line) });
      await server.find('gpu', 'order')?.run(context);
      await app.close();
    });
    expect(own).toEqual([
      ['slow', { level: 'warn', logger: 'gpu', stack: undefined }],
      ['today', { level: 'warn', logger: 'gpu', stack: undefined }],
      ['no host', { level: 'error', logger: undefined, stack: undefined }],
    ]);
    // Nest itself has nothing to say of a start that went well.
    expect(started).toEqual([]);
  });
});
