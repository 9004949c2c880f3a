/** All of Backstep in one process, with one more module: `odd`, whose commands give odd results. */
import { Module } from '@nestjs/common';
import { Command, Executor } from '#executor';
import { type ProcessPlan, runProcess } from '#process';
import { standaloneProcess } from '../../apps/standalone/src/index.js';
import { hugeOutput, ODD_ERRORS, ODD_RESULTS } from './odd-results.js';

type Parameters = Readonly<Record<string, unknown>>;

@Executor('odd')
class OddExecutor {
  @Command('returns')
  returns({ kind }: Parameters): object {
    return ODD_RESULTS[String(kind)]?.() as object;
  }

  @Command('resolves')
  async resolves({ kind }: Parameters): Promise<object> {
    return ODD_RESULTS[String(kind)]?.() as object;
  }

  @Command('throws')
  throws({ kind }: Parameters): never {
    throw ODD_ERRORS[String(kind)]?.();
  }

  @Command('rejects')
  async rejects({ kind }: Parameters): Promise<never> {
    throw ODD_ERRORS[String(kind)]?.();
  }

  @Command('huge')
  huge(): object {
    return hugeOutput();
  }
}

@Module({ controllers: [OddExecutor] })
class OddModule {}

const plan: ProcessPlan = {
  ...standaloneProcess,
  parts: async (context) => {
    const parts = await standaloneProcess.parts(context);
    return { ...parts, modules: [...parts.modules, OddModule] };
  },
};

await runProcess(plan);
