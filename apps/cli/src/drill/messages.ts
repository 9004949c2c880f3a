import type { HeldResidue } from '#nest';
import type { Fault } from '#rehearsal';

/** What a stage is started with, as the only argument of its program. */
export interface StageOrder {
  /** Where everything is that it keeps. */
  readonly folder: string;
  /** 0: any free one. */
  readonly port: number;
  /** Compiled files with executors, as absolute paths. */
  readonly executors: readonly string[];
  /** Settings, by the names of their flags. */
  readonly flags: Readonly<Record<string, string>>;
  /** What is to go wrong from its start on: what it takes up may come before any message. */
  readonly arming: Arming;
}

/** A fault as JSON can say it. */
export interface ArmedFault extends Omit<Fault, 'attempts'> {
  /** Null: in every attempt. */
  readonly attempts: number | null;
}

/** What is to go wrong in the tasks of a flow. */
export interface Arming {
  readonly flow: string;
  readonly faults: readonly ArmedFault[];
  /** Whether the process has ended in this play already. */
  readonly hasCrashed: boolean;
}

/** What the drill tells its stage. */
export type ToStage =
  | { readonly kind: 'arm'; readonly arming: Arming }
  | { readonly kind: 'residue'; readonly taskId: string };

/** What the stage tells the drill. */
export type FromStage =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'armed' }
  | { readonly kind: 'residue'; readonly items: readonly HeldResidue[] }
  | ({ readonly kind: 'waits' } & Awaited);

/** An attempt that waits until somebody outside completes it. */
export interface Awaited {
  readonly taskId: string;
  readonly run: string;
  readonly token: string;
}
