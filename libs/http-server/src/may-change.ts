import { type ChangedRecord, type Principal, whyNotChange } from '#access';
import { forbidden } from './access-gate.js';

/**
 * Throws the `Problem` that the limits of a caller do not let him store, change or remove a record.
 * Every way to change a record passes here.
 */
export function expectMayChange(principal: Principal, record: ChangedRecord): void {
  const why = whyNotChange(principal, record);
  if (why !== null) throw forbidden(principal, why);
}
