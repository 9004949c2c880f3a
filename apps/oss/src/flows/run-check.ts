import type { FlowVersion } from '#core';
import { faultsOfRun, type KnownCommands, type RunFault } from '#flow-files';
import { Problem } from '#http-server';
import { presentFinding } from './finding.presenter.js';
import type { OssOptions } from '../options.js';

/** The faults found in a flow, and the commands that were known then. */
interface Verdict {
  readonly known: KnownCommands;
  readonly faults: readonly RunFault[];
}

/** Refuses tasks whose steps could never run, by the executors that there are. */
export class RunCheck {
  readonly #verdicts = new WeakMap<FlowVersion, Verdict>();

  constructor(private readonly options: Pick<OssOptions, 'announced' | 'commands'>) {}

  /** At once where that is known. Throws, or rejects with, the `Problem` that a step cannot run. */
  expectRunnable(flow: FlowVersion): Promise<void> | undefined {
    const { announced, commands } = this.options;
    const known = commands ?? announced?.now();
    if (known === undefined) return undefined;
    if (known instanceof Promise) return known.then((given) => this.#expect(flow, given));
    return this.#expect(flow, known);
  }

  #expect(flow: FlowVersion, known: KnownCommands): Promise<void> | undefined {
    const faults = this.#faultsOf(flow, known);
    if (faults.length === 0) return undefined;
    const { announced, commands } = this.options;
    if (commands !== undefined || announced === undefined) throw refusal(flow, faults);
    // An executor that has just started may know more.
    return this.#expectFresh(flow, announced);
  }

  async #expectFresh(
    flow: FlowVersion,
    announced: NonNullable<OssOptions['announced']>,
  ): Promise<void> {
    const faults = this.#faultsOf(flow, await announced.fresh());
    if (faults.length > 0) throw refusal(flow, faults);
  }

  #faultsOf(flow: FlowVersion, known: KnownCommands): readonly RunFault[] {
    const before = this.#verdicts.get(flow);
    if (before?.known === known) return before.faults;
    const faults = faultsOfRun(flow.definition, known);
    this.#verdicts.set(flow, { known, faults });
    return faults;
  }
}

function refusal({ definition }: FlowVersion, faults: readonly RunFault[]): Problem {
  const detail = `A step of flow ${definition.name} could never run. ${faults[0]?.message}`;
  const errors = faults.map((fault) => presentFinding({ pointer: '/flow', ...fault }));
  return new Problem('FLOW_CANNOT_RUN', detail, { errors });
}
