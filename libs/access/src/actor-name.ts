const NAME = /^[A-Za-z0-9][\w.@-]{0,99}$/;
/** Actors of journals that no person is, and names of processes. */
const TAKEN = /^(?:api|backstep|flow|system)$|-[0-9a-f]{8}$/;

/** Whether a text can stand for somebody in journals: 1 to 100 letters, digits and `._@-`. */
export function isActorName(text: string): boolean {
  return NAME.test(text);
}

/** Whether a name may be taken for a part of Backstep. */
export function isTakenName(name: string): boolean {
  return TAKEN.test(name);
}
