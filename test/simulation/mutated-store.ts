import type { TaskStore } from '#ports';
import type { MutantView } from './mutant.js';

/** The store as the engine sees it: the real way to it, or with a mutant in between. */
export function mutatedStore(plain: TaskStore, view: MutantView): TaskStore {
  const { mutant } = view.process.world;
  if (mutant === null) return plain;
  const { edit } = mutant;
  const inner =
    edit === undefined
      ? plain
      : overriding(plain, {
          commit(previous, next) {
            edit(previous, next, view);
            return plain.commit(previous, next);
          },
        });
  return mutant.store === undefined ? inner : mutant.store(inner, view);
}

/** A store that does some things differently. */
export function overriding(inner: TaskStore, different: Partial<TaskStore>): TaskStore {
  return {
    insert: (task) => inner.insert(task),
    commit: (previous, next) => inner.commit(previous, next),
    get: (taskId) => inner.get(taskId),
    findByKey: (key) => inner.findByKey(key),
    findDue: (now, limit, skip) => inner.findDue(now, limit, skip),
    list: (query) => inner.list(query),
    countLive: () => inner.countLive(),
    ping: () => inner.ping(),
    close: () => inner.close(),
    ...different,
  };
}
