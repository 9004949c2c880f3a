import type { ProcessContext, ProcessParts, ProcessPlan } from '#nest';
import { MysqlModule } from './mysql.module.js';

/** The executor of module `mysql` as a process of its own. */
export const mysqlProcess: ProcessPlan = {
  name: 'mysql',
  port: 7072,
  duties: { executor: true, governance: false },
  parts: mysqlParts,
};

/** What a process needs to serve module `mysql`. */
export function mysqlParts({ clock, entropy, settings }: ProcessContext): ProcessParts {
  const { data: dataFolder, mysqlProvider, mysqlUrl } = settings;
  const provider =
    mysqlProvider === 'server' && mysqlUrl !== null ? { serverUrl: mysqlUrl } : 'sandbox';
  return { modules: [MysqlModule.register({ clock, dataFolder, entropy, provider })] };
}
