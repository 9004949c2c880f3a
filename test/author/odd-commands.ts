import { Logger, Module } from '@nestjs/common';
import { Command, type CommandContext, Executor, TerminalError } from '#executor';

/** How a command goes wrong, as the parameter `how` names it. */
type Fault = (context: CommandContext) => unknown;

const FAULTS: Readonly<Record<string, Fault>> = {
  surprise: () => (undefined as unknown as { readonly host: { readonly id: string } }).host.id,
  cause: () => {
    throw new TerminalError('no host', { cause: new RangeError('the rack is full') });
  },
  quote: ({ parameters }) => {
    throw new Error(`refused ${JSON.stringify(parameters['password'])}`);
  },
  reject: () => setImmediate(() => void Promise.reject(new Error('rejected and left'))),
  throw: () =>
    setImmediate(() => {
      throw new Error('thrown in a timer');
    }),
  exit: () => setImmediate(leave),
};

function leave(): void {
  process.exit(7);
}

/** Logs in every way that an author has, and then goes wrong as it is told. */
@Executor('odd')
export class OddExecutor {
  readonly #logger = new Logger('OddExecutor');

  @Command('run')
  async run({ how, password }: Record<string, string>, context: CommandContext): Promise<object> {
    this.#logger.warn(`begins with ${password}`);
    context.log('has begun', { how, password });
    await Promise.resolve();
    FAULTS[how ?? '']?.(context);
    return { done: true };
  }
}

@Module({ controllers: [OddExecutor] })
class OddModule {}

export default OddModule;
