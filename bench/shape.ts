import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Bench, Rival } from './benchmark.js';
import { openStandalone } from './standalone-site.js';

/** A flow of some shape, and how its tasks are measured. */
export interface Shape {
  readonly name: string;
  readonly steps: readonly object[];
  /** How many commands one task runs. Default: one for each step. */
  readonly commands?: number;
  readonly inFlight: number;
}

/** Where a command does nothing, only what surrounds it is measured. */
export const PASS = { normal: { module: 'bench_a', command: 'pass' } };

/** A process that runs tasks of one shape; a round of it runs about `commands` commands. */
export async function shapeRival(bench: Bench, shape: Shape, commands: number): Promise<Rival> {
  const { inFlight, name, steps, commands: each = steps.length } = shape;
  const site = await openStandalone(bench, { name, flows: writeFlows(bench, shape) });
  const tasks = Math.ceil(commands / each);
  return {
    stop: () => site.stop(),
    measure: async () => {
      const { perSecond } = await site.drive({ kind: 'batch', flow: name, tasks, inFlight });
      return { steps: perSecond * each };
    },
  };
}

function writeFlows({ folder }: Bench, { name, steps }: Shape): string {
  const flows = path.join(folder, `${name}-flows`);
  mkdirSync(flows, { recursive: true });
  writeFileSync(path.join(flows, 'shape.json'), JSON.stringify({ [name]: steps }));
  return flows;
}
