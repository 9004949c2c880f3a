import { Controller, Inject } from '@nestjs/common';
import { type Principal, seesFlow, seesModule } from '#access';
import type { SeenExecutor } from '#engine';
import { ANY_COMMAND } from '#ports';
import { type CommonParts, type ExecutorParts, OSS_OPTIONS } from '../options.js';
import { type CommandOfFlows, WantedModules } from './wanted-modules.js';
import { EXECUTOR_ROUTES } from './executors.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import { pageOf } from '../requests/page.query.js';
import type { Shown } from '../requests/shown.js';

/** An executor as HTTP shows it. */
type PublicExecutor = PublicExecutors['items'][number];

/** A module that nobody serves, as HTTP shows it. */
type PublicUnserved = PublicExecutors['unserved'][number];

type PublicExecutors = Shown<'Executors'>;

/** Shows which executors are there. */
@Controller()
export class ExecutorsController {
  private readonly wanted: WantedModules;

  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts & ExecutorParts) {
    this.wanted = new WantedModules(() => options.flows.list());
  }

  /** Executors that were heard of lately, by module and instance. */
  @Handles(EXECUTOR_ROUTES.listExecutors)
  async list({
    principal,
    query,
  }: Asked<typeof EXECUTOR_ROUTES.listExecutors>): Promise<PublicExecutors> {
    const records = await this.options.executors.seen();
    const seen = records.filter(({ module }) => seesModule(principal, module));
    const faultSwitches = this.options.faultSwitches !== null;
    const { items, page } = pageOf(seen.toSorted(byPlace), placeOf, query);
    const alive = records.filter(({ silentSince }) => silentSince === null);
    const unserved = this.unserved(principal, alive);
    const unservedCommands = this.unservedCommands(principal, alive);
    return { items: items.map(presentExecutor), unserved, unservedCommands, faultSwitches, page };
  }

  /** The modules of flows that the caller sees, of which no executor gives signs of life. */
  private unserved(
    principal: Principal,
    alive: readonly SeenExecutor[],
  ): readonly PublicUnserved[] {
    const served = new Set(alive.map(({ module }) => module));
    return [...this.wanted.byFlows()].flatMap(([module, all]) => {
      const flows = all.filter((flow) => seesFlow(principal, flow)).toSorted();
      const isShown = flows.length > 0 && !served.has(module) && seesModule(principal, module);
      return isShown ? [{ module, flows }] : [];
    });
  }

  /** The commands of such flows that no executor of their module has, though it has executors. */
  private unservedCommands(
    principal: Principal,
    alive: readonly SeenExecutor[],
  ): readonly CommandOfFlows[] {
    const served = new Map<string, Set<string>>();
    for (const { commands, module } of alive) {
      const names = served.get(module) ?? new Set();
      served.set(module, names);
      for (const name of commands) names.add(name);
    }
    return this.wanted.byCommands().flatMap(({ command, flows: all, module }) => {
      const names = served.get(module);
      const hasIt = names?.has(command) !== false || names.has(ANY_COMMAND);
      const isMissing = !hasIt && seesModule(principal, module);
      const flows = isMissing ? all.filter((flow) => seesFlow(principal, flow)).toSorted() : [];
      return flows.length > 0 ? [{ module, command, flows }] : [];
    });
  }
}

function byPlace(one: SeenExecutor, other: SeenExecutor): number {
  return placeOf(one) < placeOf(other) ? -1 : 1;
}

function placeOf({ instance, module }: SeenExecutor): string {
  return `${module} ${instance}`;
}

function presentExecutor(record: SeenExecutor): PublicExecutor {
  const { build = null, busy, commands, draining, host, instance, module } = record;
  const {
    outputs = {},
    parameters = {},
    sdk,
    seenAt,
    silentSince,
    since,
    slots,
    version,
    worker,
  } = record;
  return {
    module,
    instance,
    host,
    version,
    build,
    commands: commands
      .filter((name) => name !== ANY_COMMAND)
      .map((name) => {
        return { name, parameters: parameters[name] ?? null, output: outputs[name] ?? null };
      }),
    since: new Date(since).toISOString(),
    lastSeen: new Date(seenAt).toISOString(),
    silentSince: silentSince === null ? null : new Date(silentSince).toISOString(),
    busy,
    slots,
    worker: worker === true ? { sdk: sdk ?? null, draining: draining === true } : null,
  };
}
