import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Bench, Benchmark, Rival, RowPlan } from '../benchmark.js';
import type { Site } from '../site.js';
import { openStandalone } from '../standalone-site.js';

/**
 * A child task may cost as much as two tasks of the same work. On its way back it is read besides,
 * and asked by its parent to go back, which is a write more.
 */
const GOALS = { forward: 0.5, back: 0.35 };

const MAKE = {
  name: 'make',
  normal: { module: 'bench_a', command: 'make' },
  rollback: { module: 'bench_a', command: 'unmake' },
};

/**
 * Compares the child tasks of one `foreach` with plain tasks of the same work, and has them undone:
 * a child that is not undone exactly once ends the measuring.
 */
export const standaloneChildren: Benchmark = {
  name: 'children',
  deployment: 'standalone',
  rows: [],
  rowsOf: ({ sizes }) => rowsOf(sizes.children),
  rivals: { children: childrenRival, plain: plainRival },
};

function rowsOf(count: number): readonly RowPlan[] {
  const row = { unit: 'tasks/s', of: 'children', beside: 'plain', better: 'more' } as const;
  const children = `${count.toLocaleString('en-US')} children of a foreach`;
  return [
    { ...row, metric: 'forward', name: `${children} beside plain tasks`, goal: GOALS.forward },
    { ...row, metric: 'back', name: `${children} undone, beside plain tasks`, goal: GOALS.back },
  ];
}

async function childrenRival(bench: Bench): Promise<Rival> {
  const site = await open(bench, 'children');
  return {
    stop: () => site.stop(),
    measure: async () => {
      const { backMs, children, forwardMs } = await site.family('children');
      const perSecond = (ms: number): number => (children / ms) * 1_000;
      return { forward: perSecond(forwardMs), back: perSecond(backMs) };
    },
  };
}

async function plainRival(bench: Bench): Promise<Rival> {
  const site = await open(bench, 'plain');
  const { children: tasks, inFlight } = bench.sizes;
  return {
    stop: () => site.stop(),
    measure: async () => {
      const { perSecond } = await site.drive({ kind: 'batch', flow: 'plain', tasks, inFlight });
      return { forward: perSecond, back: perSecond };
    },
  };
}

function open(bench: Bench, name: string): Promise<Site> {
  const { children, inFlight } = bench.sizes;
  const flows = path.join(bench.folder, `${name}-flows`);
  mkdirSync(flows, { recursive: true });
  const foreach = {
    in: `{% [1..${children}] %}`,
    as: 'item',
    concurrency: inFlight,
    steps: [MAKE],
  };
  const all = { plain: [MAKE], children: [{ name: 'each', foreach }] };
  writeFileSync(path.join(flows, 'children.json'), JSON.stringify(all));
  return openStandalone(bench, { name, flows });
}
