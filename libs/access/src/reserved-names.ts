/** Actors of journals that no person is, and names of processes. */
const TAKEN = /^(?:api|backstep|flow|system)$|-[0-9a-f]{8}$/;

/** Whether a name may be taken for a part of Backstep. */
export function isReserved(name: string): boolean {
  return TAKEN.test(name);
}
