/** Thrown where a check took more time or memory than it may; its process was ended for it. */
export class CheckTooCostly extends Error {
  override readonly name = 'CheckTooCostly';
}

/** Thrown where too many checks wait already. */
export class CheckerBusy extends Error {
  override readonly name = 'CheckerBusy';
}
