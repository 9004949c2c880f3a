import type { JsonObject, Step } from '../api/shapes.js';
import { readObject } from './action-form.js';
import { allSteps } from './steps.js';

/** The fields of the dialog as a person has filled them in. */
export interface SignalForm {
  readonly name: string;
  /** An object as JSON, or nothing. */
  readonly payload: string;
}

const ENDED = new Set(['succeeded', 'failed', 'timed_out', 'terminated', 'skipped']);

/** The signals that steps wait for, and then those that steps will wait for. */
export function wantedSignals(steps: readonly Step[]): readonly string[] {
  const open = allSteps(steps).filter(({ step }) => !ENDED.has(step.state));
  const signals = (isNow: boolean): readonly string[] =>
    open.flatMap(({ step: { wait, waitsFor } }) =>
      wait?.signal !== undefined && (waitsFor === 'signal') === isNow ? [wait.signal] : [],
    );
  return [...new Set([...signals(true), ...signals(false)])];
}

/** The body of the request; null: the payload is no JSON object. */
export function signalBody({ name, payload }: SignalForm): JsonObject | null {
  if (payload.trim() === '') return { name: name.trim() };
  const object = readObject(payload);
  return object === null ? null : { name: name.trim(), payload: object };
}
