import type { StoreSetting } from './parsers.js';

/** The store for data of executors' own: a file on this machine, or a database of all machines. */
export type ExecutorStore = 'sqlite' | { readonly mongodbUrl: string };

/** The store in which executors keep data of their own, beside that of tasks. */
export function executorStore(store: StoreSetting): ExecutorStore {
  switch (store.kind) {
    case 'sqlite':
      return 'sqlite';
    case 'mongodb':
      return { mongodbUrl: store.url };
    default:
      return store satisfies never;
  }
}
