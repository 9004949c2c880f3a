/** How a step is made to go wrong by a switch of the lab. */
export const FAULT_KINDS = ['fail_once', 'fail_always', 'slow', 'crash'] as const;

/** One of them. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A switch that is on. */
export interface Fault {
  readonly flow: string;
  readonly step: string;
  readonly kind: FaultKind;
}
