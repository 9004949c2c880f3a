import type { JsonObject, Outcome } from '#core';
import type { CommandCatalogue, CommandContext, CommandHandler, LeaveListener } from '#ports';
import type { CrashSwitch } from './crash-switch.js';

/** Commands before, in and after which the process may die. */
export class CrashingCatalogue implements CommandCatalogue {
  constructor(
    private readonly catalogue: CommandCatalogue,
    private readonly crash: CrashSwitch,
  ) {}

  modules(): readonly string[] {
    return this.catalogue.modules();
  }

  commands(module: string): readonly string[] {
    return this.catalogue.commands(module);
  }

  parametersOf(module: string, command: string): JsonObject | null {
    return this.catalogue.parametersOf(module, command);
  }

  outputOf(module: string, command: string): JsonObject | null {
    return this.catalogue.outputOf(module, command);
  }

  find(module: string, command: string): CommandHandler | undefined {
    const handler = this.catalogue.find(module, command);
    if (handler === undefined) return undefined;
    const { crash } = this;
    return {
      secrets: handler.secrets,
      run(context: CommandContext, onLeft?: LeaveListener): Promise<Outcome> {
        const { direction } = context;
        const run = (): Promise<Outcome> => handler.run(context, onLeft);
        return crash.around([{ border: 'command', direction }], run);
      },
    };
  }
}
