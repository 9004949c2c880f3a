import type { Notes } from './notes.js';

/** What the flow that is made has in common with the others of its import. */
export interface Target {
  readonly notes: Notes;
  /** Module of commands that the source names without one. */
  readonly module: string;
  /** Name of the flow where the source has none. */
  readonly name: string;
}
