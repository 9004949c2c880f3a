import { MODULE_LIMIT, type ModuleLimit, type RecordKind } from '#ports';
import type { Mutant } from '../mutant.js';

/** Bugs of the limits of modules. */
export const LIMIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'limit-not-asked-at-queue',
    bug: 'a process claims what it queues itself, whatever the limit of its module',
    hasWorkers: true,
    admissions: (admissions) => {
      admissions.isLimited = () => false;
    },
  },
  {
    name: 'limit-share-not-kept',
    bug: 'the share of a limit that is for rollbacks is added to it',
    hasWorkers: true,
    records: (inner) => ({
      get: (...asked) => inner.get(...asked),
      list: async <T>(kind: RecordKind<T>, query: Parameters<typeof inner.list>[1]) => {
        const found = await inner.list(kind, query);
        return kind.name === MODULE_LIMIT.name ? found.map((each) => widened(each)) : found;
      },
      put: (...asked) => inner.put(...asked),
      remove: (...asked) => inner.remove(...asked),
      removeAll: (...asked) => inner.removeAll(...asked),
    }),
  },
  {
    name: 'limit-leaks-with-process',
    bug: 'nobody takes out of a limit what a process that died had in it',
    hasWorkers: true,
    admissions: (admissions) => {
      const end = admissions.end.bind(admissions);
      admissions.end = (module, ended) => {
        if (!('below' in ended)) end(module, ended);
      };
    },
  },
];

function widened<T>(record: T): T {
  const { maxConcurrency } = record as ModuleLimit;
  if (maxConcurrency === null) return record;
  return { ...record, maxConcurrency: maxConcurrency + 1 };
}
