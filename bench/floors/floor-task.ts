import { v7 } from 'uuid';
import { PARAMETERS, STEPS } from '../sizes.js';

/** A new task of a floor: an id and what is written once. */
export function newFloorTask(): { readonly taskId: string; readonly document: FloorDocument } {
  const taskId = v7();
  return { taskId, document: { taskId, createdAt: Date.now(), parameters: PARAMETERS } };
}

/** The document that a floor writes once for each task. */
export interface FloorDocument {
  readonly taskId: string;
  readonly createdAt: number;
  readonly parameters: typeof PARAMETERS;
}

/** The state that a floor writes with every step, about as large as that of a Backstep step. */
export function floorState(stepsDone: number): readonly FloorStep[] {
  const now = Date.now();
  return Array.from({ length: STEPS }, (_, step) => ({
    state: step < stepsDone ? 'succeeded' : 'pending',
    startedAt: step < stepsDone ? now : null,
    endedAt: step < stepsDone ? now : null,
    attempts: step < stepsDone ? 1 : 0,
  }));
}

interface FloorStep {
  readonly state: string;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly attempts: number;
}
