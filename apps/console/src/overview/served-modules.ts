import type { Executors } from '../api/shapes.js';

/** A module, and who serves it. */
export interface ServedModule {
  readonly name: string;
  /** Processes that give signs of life. */
  readonly alive: number;
  /** Processes that owe one. */
  readonly silent: number;
  readonly busy: number;
  readonly slots: number;
  /** Of a module that nobody serves: the flows that need it. */
  readonly flows: readonly string[];
}

type Process = Pick<Executors['items'][number], 'busy' | 'module' | 'silentSince' | 'slots'>;

interface Seen {
  readonly items: readonly Process[];
  readonly unserved: Executors['unserved'];
}

/** Modules that executors serve or flows need, those that nobody serves first. */
export function servedModules({ items: executors, unserved }: Seen): readonly ServedModule[] {
  const names = new Set([...executors, ...unserved].map(({ module }) => module));
  const found = [...names].sort().map((name) => {
    const own = executors.filter(({ module }) => module === name);
    const alive = own.filter(({ silentSince }) => silentSince === null);
    return {
      name,
      alive: alive.length,
      silent: own.length - alive.length,
      busy: sum(alive.map(({ busy }) => busy)),
      slots: sum(alive.map(({ slots }) => slots)),
      flows: unserved.find(({ module }) => module === name)?.flows ?? [],
    };
  });
  return [...found.filter(isUnserved), ...found.filter((module) => !isUnserved(module))];
}

/** Whether tasks of some flow would wait for the module. */
export function isUnserved({ alive, flows }: ServedModule): boolean {
  return alive === 0 && flows.length > 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
