import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Bench, Benchmark, Rival } from '../benchmark.js';
import { openStandalone } from '../standalone-site.js';

/** A task of some shape, and how many of them are in flight. */
interface Shape {
  readonly name: string;
  readonly steps: readonly object[];
  /** Default: as many as of the short chain. */
  readonly inFlight?: number;
}

/** Tasks in flight of the short chain, and of what is compared with it task by task. */
const IN_FLIGHT = 64;

const PASS = { normal: { module: 'bench_a', command: 'pass' } };

const LONG = 1_000;
const SIDES = 999;

const SHAPES = {
  short: { name: 'short', steps: chain(10) },
  long: { name: 'long', steps: chain(LONG) },
  wide: { name: 'wide', steps: wide(), inFlight: 1 },
  fourWide: { name: 'four-wide', steps: wide(), inFlight: 4 },
} satisfies Readonly<Record<string, Shape>>;

const ROW = { unit: 'steps/s', metric: 'steps', beside: 'short', better: 'more' } as const;

/** Compares steps of long chains and of wide flows with steps of short chains. */
export const standaloneShapes: Benchmark = {
  name: 'shapes',
  deployment: 'standalone',
  rows: [
    { ...ROW, name: 'chains of 1,000 beside chains of 10', of: 'long', goal: 1 / 1.25 },
    { ...ROW, name: 'a root with 999 side by side beside chains of 10', of: 'wide', goal: 0.5 },
    { ...ROW, name: 'four of them at a time beside chains of 10', of: 'fourWide', goal: 0.5 },
  ],
  rivals: {
    short: (bench) => shapeRival(bench, SHAPES.short),
    long: (bench) => shapeRival(bench, SHAPES.long),
    wide: (bench) => shapeRival(bench, SHAPES.wide),
    fourWide: (bench) => shapeRival(bench, SHAPES.fourWide),
  },
};

async function shapeRival(bench: Bench, shape: Shape): Promise<Rival> {
  const { name, steps, inFlight = IN_FLIGHT } = shape;
  const site = await openStandalone(bench, { name, flows: writeFlows(bench, shape) });
  const tasks = Math.ceil(bench.sizes.shapeSteps / steps.length);
  return {
    stop: () => site.stop(),
    measure: async () => {
      const { perSecond } = await site.drive({ kind: 'batch', flow: name, tasks, inFlight });
      return { steps: perSecond * steps.length };
    },
  };
}

function writeFlows({ folder }: Bench, { name, steps }: Shape): string {
  const flows = path.join(folder, `${name}-flows`);
  mkdirSync(flows, { recursive: true });
  writeFileSync(path.join(flows, 'shape.json'), JSON.stringify({ [name]: steps }));
  return flows;
}

function chain(length: number): readonly object[] {
  return Array.from({ length }, (_, n) => ({ name: `step-${n + 1}`, ...PASS }));
}

function wide(): readonly object[] {
  const sides = Array.from({ length: SIDES }, (_, n) => {
    return { name: `side-${n + 1}`, needs: ['root'], ...PASS };
  });
  return [{ name: 'root', needs: [], ...PASS }, ...sides];
}
