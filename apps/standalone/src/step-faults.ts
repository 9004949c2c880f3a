import type { Outcome } from '#core';
import type { CommandCatalogue, CommandHandler } from '#ports';

/** Lets steps of tasks fail that are named before their first command is called. */
export class StepFaults {
  readonly #stepOf = new Map<string, string>();
  /** Ends when every task that is being made is known. */
  #known: Promise<unknown> = Promise.resolve();

  /** Makes a task by `create`, which returns its id, and lets its step `step` fail. */
  async add(step: string, create: () => Promise<string>): Promise<void> {
    const created = create().then((taskId) => this.#stepOf.set(taskId, step));
    this.#known = Promise.allSettled([this.#known, created]);
    await created;
  }

  /** The same commands, each of which fails where its step is to fail. */
  around(catalogue: CommandCatalogue): CommandCatalogue {
    return {
      modules: () => catalogue.modules(),
      commands: (module) => catalogue.commands(module),
      parametersOf: (module, command) => catalogue.parametersOf(module, command),
      find: (module, command) => {
        const handler = catalogue.find(module, command);
        return handler && this.#around(handler);
      },
    };
  }

  #around(handler: CommandHandler): CommandHandler {
    return {
      secrets: handler.secrets,
      run: async (context, onLeft) => {
        await this.#known;
        const { direction, step, taskId } = context;
        const isMeant = direction === 'normal' && this.#stepOf.get(taskId) === step;
        return isMeant ? failed(step) : handler.run(context, onLeft);
      },
    };
  }
}

function failed(step: string): Outcome {
  const message = `the test lets ${step} fail`;
  return { kind: 'failed', terminal: true, failure: 'FAILED', message };
}
