import { callOff } from '../call-off.js';
import type { Change } from '../change.js';
import type { Direction } from '../journal.js';
import type { StepKind } from './kind.js';

/** A step that is a command: whoever serves its module takes it. */
export const normal: StepKind = {
  enter: (change, place) => queue(change, place, 'normal'),
  callOff,
  undo: (change, place) => queue(change, place, 'rollback'),
  holds: null,
};

function queue(change: Change, step: number, direction: Direction): void {
  const ref = { direction, step };
  const run = change.run(ref);
  if (run !== null) change.queue(ref, run, change.orderNow);
}
