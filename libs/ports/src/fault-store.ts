/**
 * The ways in which a step is made to go wrong. `fail_once` and `crash` strike one attempt and are
 * off then; `fail_always` and `slow` stay until somebody takes them back.
 */
export const FAULT_KINDS = ['fail_once', 'fail_always', 'slow', 'crash'] as const;

/** How a step is made to go wrong. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A step of a flow, by name, in whatever list of the flow it stands. */
export interface FaultPlace {
  readonly flow: string;
  readonly step: string;
}

/** A fault in a step of a flow; it strikes as long as the switch is on. */
export interface FaultSwitch extends FaultPlace {
  readonly kind: FaultKind;
  /** How long `slow` holds an attempt up before it starts, in milliseconds. */
  readonly delayMs: number;
}

/**
 * Where switches that make steps go wrong are kept. Every method of one that processes share may
 * throw `StoreUnavailable`.
 */
export interface FaultStore {
  /** All that are on, in one order. */
  listFaults(): Promise<readonly FaultSwitch[]>;
  /** The switch of a step as it is now; null: none is on. */
  findFault(place: FaultPlace): Promise<FaultSwitch | null>;
  /** Switches one on, in place of the one that its step had. */
  putFault(one: FaultSwitch): Promise<void>;
  /** Switches one off. Of several that do so at once, one is told true: it was on. */
  removeFault(place: FaultPlace): Promise<boolean>;
}
