import { type Principal, usesModule } from '#access';
import { type FlowVersion, listNames } from '#core';
import { faultsOfRun, type KnownCommands, type Words } from '#flow-files';
import { Problem } from '#http-server';
import { presentFinding } from './finding.presenter.js';
import type { OssOptions } from '../options.js';
import { modulesOf } from '../tasks/modules-of.js';

/** The practice module, which is a setting. */
const PRACTICE = 'lab';

/** Why no task of a flow can be started now. */
interface FlowObstacle {
  /** `MODULE_NOT_SERVED` or `FLOW_CANNOT_RUN`. */
  readonly code: string;
  readonly message: string;
}

/** The faults found in a flow, and the commands that were known then. */
interface Verdict {
  readonly known: KnownCommands;
  readonly faults: readonly Words[];
}

/** Refuses tasks whose steps could never run, by the executors that there are. */
export class RunCheck {
  readonly #verdicts = new WeakMap<FlowVersion, Verdict>();

  constructor(private readonly options: Pick<OssOptions, 'announced'>) {}

  /** For which reason a task of the flow would be refused now; null: for none. */
  async obstacleOf(flow: FlowVersion, principal: Principal): Promise<FlowObstacle | null> {
    try {
      await this.expectRunnable(flow, principal);
      return null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { code: error.code, message: error.message };
    }
  }

  /** At once where that is known. Throws, or rejects with, the `Problem` that a step cannot run. */
  expectRunnable(flow: FlowVersion, principal: Principal): Promise<void> | undefined {
    const known = this.options.announced?.now();
    if (known === undefined) return undefined;
    if (known instanceof Promise)
      return known.then((given) => this.#expect(flow, given, principal));
    return this.#expect(flow, known, principal);
  }

  #expect(
    flow: FlowVersion,
    known: KnownCommands,
    principal: Principal,
  ): Promise<void> | undefined {
    if (this.#faultsOf(flow, known).length === 0) return undefined;
    // An executor that has just started may know more.
    return this.#expectFresh(flow, principal);
  }

  async #expectFresh(flow: FlowVersion, principal: Principal): Promise<void> {
    const known = await this.options.announced?.fresh();
    if (known === undefined) return;
    expectServed(flow, known, principal);
    const faults = this.#faultsOf(flow, known);
    if (faults.length > 0) throw refusal(flow, faults);
  }

  #faultsOf(flow: FlowVersion, known: KnownCommands): readonly Words[] {
    const before = this.#verdicts.get(flow);
    if (before?.known === known) return before.faults;
    const faults = faultsOfRun(flow.definition, known);
    this.#verdicts.set(flow, { known, faults });
    return faults;
  }
}

/** Where all modules are known, a flow that needs another one could never end. */
function expectServed(flow: FlowVersion, known: KnownCommands, principal: Principal): void {
  if (known.isPartial === true) return;
  const served = known.modules();
  const missing = modulesOf(flow).find((module) => !served.includes(module));
  if (missing === undefined) return;
  const message = `Flow ${flow.definition.name} uses module ${missing}, and no executor serves it.`;
  const seen = served.filter((module) => usesModule(principal, module));
  const hint =
    missing === PRACTICE
      ? 'Set BACKSTEP_LAB=on, or start Backstep with `backstep dev`.'
      : `This process serves ${listNames(seen)}. Add an executor of ${missing} to it, or start a worker.`;
  throw new Problem('MODULE_NOT_SERVED', message, {
    errors: [{ pointer: '/flow', message, hint }],
  });
}

function refusal({ definition }: FlowVersion, faults: readonly Words[]): Problem {
  const detail = `A step of flow ${definition.name} could never run. ${faults[0]?.message}`;
  const errors = faults.map((fault) => presentFinding({ pointer: '/flow', ...fault }));
  return new Problem('FLOW_CANNOT_RUN', detail, { errors });
}
