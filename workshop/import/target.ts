import type { Notes } from './notes.js';

/** The notes and the defaults that the flows of one import share. */
export interface Target {
  readonly notes: Notes;
  /** Module of commands that the source names without one. */
  readonly module: string;
  /** Name of the flow where the source has none. */
  readonly name: string;
}
