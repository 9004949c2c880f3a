import type { Benchmark } from '../benchmark.js';
import { PASS, type Shape, shapeRival } from '../shape.js';

/** Tasks in flight of the short chain, and of what is compared with it task by task. */
const IN_FLIGHT = 64;

const LONG = 1_000;
const SIDES = 999;

const SHAPES = {
  short: { name: 'short', steps: chain(10), inFlight: IN_FLIGHT },
  long: { name: 'long', steps: chain(LONG), inFlight: IN_FLIGHT },
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
    short: (bench) => shapeRival(bench, SHAPES.short, bench.sizes.shapeSteps),
    long: (bench) => shapeRival(bench, SHAPES.long, bench.sizes.shapeSteps),
    wide: (bench) => shapeRival(bench, SHAPES.wide, bench.sizes.shapeSteps),
    fourWide: (bench) => shapeRival(bench, SHAPES.fourWide, bench.sizes.shapeSteps),
  },
};

function chain(length: number): readonly object[] {
  return Array.from({ length }, (_, n) => ({ name: `step-${n + 1}`, ...PASS }));
}

function wide(): readonly object[] {
  const sides = Array.from({ length: SIDES }, (_, n) => {
    return { name: `side-${n + 1}`, needs: ['root'], ...PASS };
  });
  return [{ name: 'root', needs: [], ...PASS }, ...sides];
}
