import { DATE, TEXT } from '#core/json';
import { recordKind } from '../record-kind.js';

/**
 * An operator has a worker drain. It is no member of the record by which the worker is announced:
 * every gateway that the worker calls writes that one.
 */
interface WorkerDrain {
  readonly worker: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The workers that drain. */
export const WORKER_DRAIN = recordKind<WorkerDrain>({
  name: 'worker_drain',
  plural: 'worker_drains',
  shape: { worker: TEXT, since: DATE },
  idOf: ({ worker }) => worker,
  moments: ['since'],
  isPassing: true,
  indexes: {},
});
