/**
 * Any process of Backstep, as its `main.ts` starts it, that dies where it is ordered to: SIGUSR2
 * tells it that there is an order. The argument is the app's name.
 */
import { type ProcessPlan, runProcess } from '#process';
import { labProcess } from '../../apps/lab/src/index.js';
import { monitorProcess } from '../../apps/monitor/src/index.js';
import { mysqlProcess } from '../../apps/mysql/src/index.js';
import { ossProcess } from '../../apps/oss/src/index.js';
import { resourceProcess } from '../../apps/resource/src/index.js';
import { standaloneProcess } from '../../apps/standalone/src/index.js';
import { takenText, takeOrder } from './crash-order.js';
import { CrashSwitch } from './crash-switch.js';
import { crashingPorts } from './crashing-ports.js';

const PLANS: Readonly<Record<string, ProcessPlan>> = {
  lab: labProcess,
  monitor: monitorProcess,
  mysql: mysqlProcess,
  oss: ossProcess,
  resource: resourceProcess,
  standalone: standaloneProcess,
};

const [app = ''] = process.argv.slice(2);
const plan = PLANS[app];
if (plan === undefined) throw new Error(`there is no app ${app}`);
const crash = new CrashSwitch();
process.on('SIGUSR2', () => {
  const order = takeOrder(process.cwd(), app);
  crash.obey(order);
  process.stderr.write(`${takenText(order, process.pid)}\n`);
});
process.on('SIGTERM', () => (crash.draining = true));
await runProcess({ ...plan, decorate: crashingPorts(crash) });
