/**
 * Any process of Backstep, as its `main.ts` starts it, on every address of the machine. It writes
 * down which routes it has. The argument is the app's name.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type ProcessPlan, runProcess } from '#process';
import { httpProcess } from '../../apps/http/src/index.js';
import { labProcess } from '../../apps/lab/src/index.js';
import { monitorProcess } from '../../apps/monitor/src/index.js';
import { mysqlProcess } from '../../apps/mysql/src/index.js';
import { ossProcess } from '../../apps/oss/src/index.js';
import { resourceProcess } from '../../apps/resource/src/index.js';
import { standaloneProcess } from '../../apps/standalone/src/index.js';
import { type RouteList, routesFile } from './routes.js';

const PLANS: Readonly<Record<string, ProcessPlan>> = {
  http: httpProcess,
  lab: labProcess,
  monitor: monitorProcess,
  mysql: mysqlProcess,
  oss: ossProcess,
  resource: resourceProcess,
  standalone: standaloneProcess,
};

const [, , app = ''] = process.argv;

/** Writes the routes down once all of them are there. */
@Module({})
class RouteScribe implements OnApplicationBootstrap {
  constructor(private readonly host: HttpAdapterHost) {}

  onApplicationBootstrap(): void {
    const { routes } = this.host.httpAdapter as unknown as { readonly routes: RouteList };
    writeFileSync(path.join(process.cwd(), routesFile(app)), JSON.stringify(routes.list()));
  }
}

const plan = PLANS[app];
if (plan === undefined) throw new Error(`there is no app ${app}`);
const { BACKSTEP_HTTP = '' } = process.env;
process.env['BACKSTEP_HTTP'] = BACKSTEP_HTTP.replace('127.0.0.1', '0.0.0.0');
await runProcess({
  ...plan,
  parts: async (context) => {
    const parts = await plan.parts(context);
    return { ...parts, modules: [...parts.modules, RouteScribe] };
  },
});
