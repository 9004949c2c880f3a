import { FINITE, oneOf, TEXT } from '#core/json';
import { recordKind } from '../record-kind.js';

/**
 * The ways in which a step is made to go wrong. `fail_once` and `crash` strike one attempt and are
 * off then; `fail_always` and `slow` stay until a person takes them back.
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

/** Switches that make steps go wrong. */
export const FAULT = recordKind<FaultSwitch>({
  name: 'fault',
  plural: 'lab_faults',
  shape: { flow: TEXT, step: TEXT, kind: oneOf(FAULT_KINDS, 'a kind of fault'), delayMs: FINITE },
  idOf: faultId,
  isPassing: true,
  indexes: {},
});

/** The id of the switch of a step. Both names may have any character. */
export function faultId({ flow, step }: FaultPlace): string {
  return JSON.stringify([flow, step]);
}
