import { FAULT_KINDS, type FaultName } from './fault-kinds.js';

/** A fault, and the number of the operation that it strikes. */
export interface Placement {
  readonly at: number;
  readonly fault: FaultName;
}

/** Placements as they are written in a command: `12:crash,30:ack-lost`. */
export function textOf(placements: readonly Placement[]): string {
  return placements.map(({ at, fault }) => `${at}:${fault}`).join(',');
}

/** Reads what `textOf` wrote; null where it is something else. */
export function placementsOf(text: string): readonly Placement[] | null {
  const found: Placement[] = [];
  for (const part of text.split(',').filter((each) => each !== '')) {
    const [, at, fault] = /^(\d+):([a-z-]+)$/.exec(part) ?? [];
    if (fault === undefined || !Object.hasOwn(FAULT_KINDS, fault)) return null;
    found.push({ at: Number(at), fault: fault as FaultName });
  }
  return found;
}
