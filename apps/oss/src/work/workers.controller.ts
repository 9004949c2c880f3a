import { Controller, Inject } from '@nestjs/common';
import { hasRightsOf, type Principal, seesModule, usesModule } from '#access';
import type { WorkerRegistration } from '#engine';
import { forbidden, lacking, Problem } from '#http-server';
import { type CommonParts, OSS_OPTIONS, type WorkParts } from '../options.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';
import { noSecretKey } from '../tasks/secret-parameters.js';
import { expectServes, inItsName, markOf } from './claims.js';
import { expectWorkerName, workerOrderOf } from './worker.request.js';
import { WORK_LIMITS } from './work-limits.js';
import { WORK_ROUTES } from './work.routes.js';

/** Knows which workers there are, and has them drain. */
@Controller()
export class WorkersController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: WorkParts & Pick<CommonParts, 'secrets'>,
  ) {}

  /** A worker says what it serves, or an operator that it is to drain. */
  @Handles(WORK_ROUTES.putWorker)
  async put({
    body,
    path,
    principal,
  }: Asked<typeof WORK_ROUTES.putWorker>): Promise<Shown<'WorkerTerms'>> {
    const order = workerOrderOf(path.worker, body);
    if (order.kind === 'drain') return this.drain(path.worker, order.isDraining, principal);
    if (!hasRightsOf(principal.role, 'worker')) throw lacking(principal, 'worker');
    expectServes(principal, Object.keys(order.registration.modules));
    if (!this.options.secrets.canSeal) expectNoSecrets(order.registration);
    const registration = { ...order.registration, keyMark: markOf(principal.keyId) };
    const registered = this.options.desk.register(registration);
    const { heartbeatMs } = await inItsName(principal, registered);
    return { heartbeatMs };
  }

  /** The worker has stopped. */
  @Handles(WORK_ROUTES.removeWorker)
  async remove({ path, principal }: Asked<typeof WORK_ROUTES.removeWorker>): Promise<void> {
    expectWorkerName(path.worker);
    const modules = await this.options.desk.modulesOf(path.worker);
    // Nobody can tell whose claims those of an unknown name are; their leases end by themselves.
    if (modules.length === 0) return;
    expectServes(principal, modules);
    const leaving = this.options.desk.goodBye(path.worker, markOf(principal.keyId));
    await inItsName(principal, leaving);
  }

  private async drain(
    worker: string,
    isDraining: boolean,
    principal: Principal,
  ): Promise<Shown<'WorkerTerms'>> {
    if (!hasRightsOf(principal.role, 'operator')) throw lacking(principal, 'operator');
    const modules = await this.options.desk.modulesOf(worker);
    if (!modules.some((module) => seesModule(principal, module))) throw noSuchWorker();
    // One process has one line: its other modules would stand still as well.
    if (!modules.every((module) => usesModule(principal, module)))
      throw forbidden(principal, 'may not use all modules of this worker');
    if (!(await this.options.desk.drain(worker, isDraining))) throw noSuchWorker();
    return { heartbeatMs: WORK_LIMITS.heartbeat };
  }
}

/** Without a key an output with secrets could not be kept, once the command had its effect. */
function expectNoSecrets({ modules }: WorkerRegistration): void {
  for (const [module, commands] of Object.entries(modules)) {
    for (const [command, { secrets = [] }] of Object.entries(commands)) {
      if (secrets.length > 0) throw noSecretKey(`The output of ${module}.${command} has secrets`);
    }
  }
}

function noSuchWorker(): Problem {
  return new Problem('WORKER_NOT_FOUND', 'There is no worker of this name.');
}
