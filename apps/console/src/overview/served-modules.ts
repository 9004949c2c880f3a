import type { Executor, Flow } from '../api/shapes.js';

/** A module, and who serves it. */
export interface ServedModule {
  readonly name: string;
  /** Processes that give signs of life. */
  readonly alive: number;
  /** Processes that owe one. */
  readonly silent: number;
  readonly busy: number;
  readonly slots: number;
  /** Flows with steps of the module that can be started, or could if executors served them. */
  readonly flows: readonly string[];
}

type Process = Pick<Executor, 'busy' | 'module' | 'silentSince' | 'slots'>;
type Recipe = Pick<Flow, 'name' | 'obstacle' | 'startable' | 'steps'>;

/** Modules that executors serve or flows need, those that nobody serves first. */
export function servedModules(
  executors: readonly Process[],
  flows: readonly Recipe[],
): readonly ServedModule[] {
  const needs = flows.filter(isWanted).map(needOf);
  const names = new Set([
    ...executors.map(({ module }) => module),
    ...needs.flatMap(({ modules }) => [...modules]),
  ]);
  const found = [...names].sort().map((name) => {
    const own = executors.filter(({ module }) => module === name);
    const alive = own.filter(({ silentSince }) => silentSince === null);
    return {
      name,
      alive: alive.length,
      silent: own.length - alive.length,
      busy: sum(alive.map(({ busy }) => busy)),
      slots: sum(alive.map(({ slots }) => slots)),
      flows: needs.filter(({ modules }) => modules.has(name)).map(({ flow }) => flow),
    };
  });
  return [...found.filter(isUnserved), ...found.filter((module) => !isUnserved(module))];
}

/** Whether tasks of some flow would wait for the module. */
export function isUnserved({ alive, flows }: ServedModule): boolean {
  return alive === 0 && flows.length > 0;
}

/** A flow that was retired or lost its file has no obstacle: no executor would help it. */
function isWanted({ obstacle, startable }: Recipe): boolean {
  return startable !== false || Boolean(obstacle);
}

function needOf({ name, steps }: Recipe): { readonly flow: string; readonly modules: Set<string> } {
  const modules = new Set<string>();
  gather(steps, modules);
  return { flow: name, modules };
}

/** Members that are data of the flow's author: they may look like actions and are none. */
const DATA = new Set(['parameters', 'output', 'set', 'constants', 'input']);

/** Actions stand in steps of every kind, at any depth. */
function gather(value: unknown, modules: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const { command, module } = value as Partial<Record<string, unknown>>;
  if (typeof module === 'string' && typeof command === 'string') modules.add(module);
  for (const [member, inner] of Object.entries(value))
    if (!DATA.has(member)) gather(inner, modules);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
