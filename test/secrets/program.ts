/**
 * Any process of Backstep, as its `main.ts` starts it; the one that serves the practice module
 * serves `vault` as well. The argument is the app's name.
 */
import { type ProcessPlan, runProcess } from '#process';
import { labProcess } from '../../apps/lab/src/index.js';
import { monitorProcess } from '../../apps/monitor/src/index.js';
import { mysqlProcess } from '../../apps/mysql/src/index.js';
import { ossProcess } from '../../apps/oss/src/index.js';
import { resourceProcess } from '../../apps/resource/src/index.js';
import { standaloneWith } from '../../apps/standalone/src/index.js';
import { VaultModule } from './vault.executor.js';

const PLANS: Readonly<Record<string, ProcessPlan>> = {
  lab: withVault(labProcess),
  monitor: monitorProcess,
  mysql: mysqlProcess,
  oss: ossProcess,
  resource: resourceProcess,
  standalone: standaloneWith([VaultModule]),
};

function withVault(plan: ProcessPlan): ProcessPlan {
  return {
    ...plan,
    parts: async (context) => {
      const parts = await plan.parts(context);
      return { ...parts, modules: [...parts.modules, VaultModule] };
    },
  };
}

const plan = PLANS[process.argv[2] ?? ''];
if (plan === undefined) throw new Error(`there is no app ${process.argv[2]}`);
await runProcess(plan);
