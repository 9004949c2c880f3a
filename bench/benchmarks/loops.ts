import type { Benchmark } from '../benchmark.js';
import { PASS, type Shape, shapeRival } from '../shape.js';

/** Loops in flight, short or long. */
const IN_FLIGHT = 4;

const SHORT = loop('short-loop', 10);
const LONG = loop('long-loop', 1_000);

/** Compares rounds of long loops with rounds of short ones. */
export const standaloneLoops: Benchmark = {
  name: 'loops',
  deployment: 'standalone',
  rows: [
    {
      name: 'loops of 1,000 rounds beside loops of 10',
      unit: 'rounds/s',
      metric: 'steps',
      of: 'long',
      beside: 'short',
      better: 'more',
      goal: 1 / 1.25,
    },
  ],
  rivals: {
    short: (bench) => shapeRival(bench, SHORT, bench.sizes.loopRounds),
    long: (bench) => shapeRival(bench, LONG, bench.sizes.loopRounds),
  },
};

/** A loop whose body is one command, so that a round is a step. */
function loop(name: string, rounds: number): Shape {
  const steps = [{ name: 'body', ...PASS }];
  const until = `{% $index = ${rounds - 1} %}`;
  const step = { name: 'again', loop: { steps, until, max: rounds } };
  return { name, steps: [step], commands: rounds, inFlight: IN_FLIGHT };
}
