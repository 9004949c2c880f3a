import type { FlowVersion } from '#core';
import { actionsIn } from '#core/flow';

/** A command that a step of a flow uses. */
interface WantedCommand {
  readonly module: string;
  readonly command: string;
}

/** A command, and the names of the flows that want it. */
export interface CommandOfFlows extends WantedCommand {
  readonly flows: readonly string[];
}

/**
 * The modules and commands of flows that can be started: those are wanted, whoever serves them. A
 * flow is looked through once for each of its versions.
 */
export class WantedModules {
  readonly #commands = new WeakMap<FlowVersion, readonly WantedCommand[]>();

  constructor(private readonly flows: () => readonly FlowVersion[]) {}

  list(): readonly string[] {
    return [
      ...new Set(
        this.flows()
          .flatMap((flow) => this.#of(flow))
          .map(({ module }) => module),
      ),
    ];
  }

  /** The modules, and the names of the flows that want each. */
  byFlows(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, Set<string>>();
    for (const { flows, module } of this.byCommands()) {
      const names = found.get(module) ?? new Set();
      found.set(module, names);
      for (const flow of flows) names.add(flow);
    }
    return new Map([...found].map(([module, names]) => [module, [...names]]));
  }

  /** The commands, and the names of the flows that want each. */
  byCommands(): readonly CommandOfFlows[] {
    const found = new Map<string, WantedCommand & { readonly flows: string[] }>();
    for (const flow of this.flows()) {
      for (const { command, module } of this.#of(flow)) {
        const key = keyOf({ command, module });
        const wanted = found.get(key) ?? { module, command, flows: [] };
        found.set(key, wanted);
        wanted.flows.push(flow.definition.name);
      }
    }
    return [...found.values()];
  }

  #of(flow: FlowVersion): readonly WantedCommand[] {
    const known = this.#commands.get(flow);
    if (known !== undefined) return known;
    const each = new Map<string, WantedCommand>();
    for (const { command, module } of actionsIn(flow.definition.steps)) {
      each.set(keyOf({ command, module }), { command, module });
    }
    const commands = [...each.values()];
    this.#commands.set(flow, commands);
    return commands;
  }
}

/** Tells a command of one module from that of another: no name has a space. */
function keyOf({ command, module }: WantedCommand): string {
  return `${module} ${command}`;
}
