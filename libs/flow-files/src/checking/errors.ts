import { ProcessUnavailable } from '#ports';

/** Thrown where a check took more time or memory than it may; its process was ended for it. */
export class CheckTooCostly extends Error {
  override readonly name = 'CheckTooCostly';
}

/** Thrown where too many checks wait already, or nobody waits for this one any more. */
export class CheckerBusy extends ProcessUnavailable {
  override readonly name = 'CheckerBusy';
}
