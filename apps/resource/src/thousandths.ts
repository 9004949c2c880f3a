import type { Size } from './inventory.js';

/** Sizes are kept as whole thousandths: sums of fractions would drift. */
export function toThousandths({ cpu, memory, storage }: Size): Size {
  return { cpu: stored(cpu), memory: stored(memory), storage: stored(storage) };
}

/** The size that was stored. */
export function fromThousandths({ cpu, memory, storage }: Size): Size {
  return { cpu: cpu / 1_000, memory: memory / 1_000, storage: storage / 1_000 };
}

function stored(value: number): number {
  return Math.round(value * 1_000);
}
