import type { FlowDefinition } from '#core';
import type { Origins } from '../build-steps.js';
import type { KnownCommands } from '../known-commands.js';
import type { ProblemList } from '../problem.js';
import type { KnownFlows } from './flow-outline.js';
import type { ListView } from './list-view.js';

/** A flow that is looked through, and where to say what was found. */
export interface Examination {
  readonly definition: FlowDefinition;
  readonly origins: Origins;
  /** Pointer of the flow. */
  readonly pointer: string;
  readonly problems: ProblemList;
  readonly warnings: ProblemList;
  readonly known: KnownFlows;
  /** Absent: nothing is known of commands. */
  readonly commands?: KnownCommands | undefined;
  /** Names of steps in the lists around all of it, where it is a part of something. */
  readonly around: ReadonlySet<string>;
  /** All lists of steps, each before those in its steps. */
  readonly lists: readonly ListView[];
}
