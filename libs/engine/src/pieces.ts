import { ClaimTaker } from './claim-taker.js';
import { EngineState } from './engine-state.js';
import type { EngineParts, EngineSettings } from './parts.js';
import { StepRunner } from './step-runner.js';
import { StrayClaims } from './stray-claims.js';
import { type MoverPieces, TaskMover } from './task-mover.js';

/** The pieces of one engine by which tasks move; all its other parts work with them. */
export interface Pieces extends MoverPieces {
  readonly mover: TaskMover;
}

/** Makes the pieces of an engine and joins them. `governs`: it looks for due tasks. */
export function makePieces(parts: EngineParts, settings: EngineSettings, governs: boolean): Pieces {
  const state = new EngineState(parts, settings, governs);
  const taker = new ClaimTaker(parts, settings, state);
  const runner = new StepRunner(parts, settings, { state, taker });
  const strays = new StrayClaims(parts, settings, { state, taker, runner });
  const mover = new TaskMover(parts, { state, taker, runner, strays });
  return { state, taker, runner, strays, mover };
}
