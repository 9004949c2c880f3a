import type { HeldResidue } from '#executor';
import type { Fault } from '#workshop/rehearsal';

/** The order that starts a stage, as the only argument of its program. */
export interface StageOrder {
  /** Folder of all its data. */
  readonly folder: string;
  /** 0: any free one. */
  readonly port: number;
  /** Compiled files with executors, as absolute paths. */
  readonly executors: readonly string[];
  /** Settings, by the names of their flags. */
  readonly flags: Readonly<Record<string, string>>;
  /** Faults from its start on: it may take up work before any message arrives. */
  readonly arming: Arming;
}

/** A fault as JSON can say it. */
export interface ArmedFault extends Omit<Fault, 'attempts'> {
  /** Null: in every attempt. */
  readonly attempts: number | null;
}

/** The faults that are to happen in the tasks of a flow, and in their child tasks. */
export interface Arming {
  readonly flow: string;
  readonly faults: readonly ArmedFault[];
  /** Whether the process has ended in this play already. */
  readonly hasCrashed: boolean;
}

/** A message of the drill to its stage. */
export type ToStage =
  | { readonly kind: 'arm'; readonly arming: Arming }
  | { readonly kind: 'residue'; readonly taskId: string };

/** A message of the stage to the drill. */
export type FromStage =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'armed' }
  | { readonly kind: 'residue'; readonly items: readonly HeldResidue[] }
  | { readonly kind: 'moved' }
  | ({ readonly kind: 'waits' } & Awaited);

/** An attempt that waits until it is completed from outside. */
export interface Awaited {
  readonly taskId: string;
  readonly run: string;
  readonly token: string;
  /** Name of its step; null: it is the rollback of one. */
  readonly step: string | null;
  /** `module.command`. */
  readonly command: string;
  /** From 1 on. */
  readonly attempt: number;
}
