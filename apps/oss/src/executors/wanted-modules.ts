import type { FlowVersion } from '#core';
import { modulesOf } from '../tasks/modules-of.js';

/**
 * The modules of flows that can be started: those are wanted, whoever serves them. A flow is looked
 * through once for each of its versions.
 */
export class WantedModules {
  readonly #modules = new WeakMap<FlowVersion, readonly string[]>();

  constructor(private readonly flows: () => readonly FlowVersion[]) {}

  list(): readonly string[] {
    return [...new Set(this.flows().flatMap((flow) => this.#of(flow)))];
  }

  /** The modules, and the names of the flows that want each. */
  byFlows(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const flow of this.flows()) {
      for (const module of this.#of(flow)) {
        const names = found.get(module) ?? [];
        found.set(module, names);
        names.push(flow.definition.name);
      }
    }
    return found;
  }

  #of(flow: FlowVersion): readonly string[] {
    const known = this.#modules.get(flow);
    if (known !== undefined) return known;
    const modules = modulesOf(flow);
    this.#modules.set(flow, modules);
    return modules;
  }
}
