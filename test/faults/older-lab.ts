/** Another build of the practice executor: one that knows a single command. */
import { Module } from '@nestjs/common';
import { Command, Executor } from '#executor';
import { type ProcessPlan, runProcess } from '#process';

@Executor('lab')
class OlderExecutor {
  @Command('succeed')
  succeed(): null {
    return null;
  }
}

@Module({ controllers: [OlderExecutor] })
class OlderModule {}

const plan: ProcessPlan = {
  name: 'older-lab',
  port: 7074,
  duties: { executor: true, governance: false },
  parts: () => ({ modules: [OlderModule] }),
};

await runProcess(plan);
