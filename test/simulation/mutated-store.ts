import type { StepRuns, TaskIndex } from '#core';
import type { WorkDesk } from '#engine';
import type { ChildStore, Evaluator, SessionStore, TaskStore } from '#ports';
import type { MutantView } from './mutant.js';
import type { SimProcess } from './sim-process.js';
import type { StoreServer } from './store-server.js';

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
            // The indexes that were carried along do not fit the edited runs.
            (next as { index: TaskIndex | null }).index = null;
            (next as { runs: readonly StepRuns[] }).runs = next.runs.slice();
            edit(previous, next, view);
            return plain.commit(previous, next);
          },
        });
  return mutant.store === undefined ? inner : mutant.store(inner, view);
}

/** The sessions as the engine sees them: the real way to them, or with a mutant in between. */
export function mutatedSessions(plain: SessionStore, process: SimProcess): SessionStore {
  return process.world.mutant?.sessions?.(plain, process) ?? plain;
}

/** The desk of a gateway as workers see it: the real one, or with a mutant in between. */
export function mutatedDesk(plain: WorkDesk, process: SimProcess, server: StoreServer): WorkDesk {
  return process.world.mutant?.desk?.(plain, server) ?? plain;
}

/** Child tasks as the engine finds them: the real way, or with a mutant in between. */
export function mutatedChildren(plain: ChildStore, process: SimProcess): ChildStore {
  return process.world.mutant?.children?.(plain) ?? plain;
}

/** Templates as the engine has them evaluated: the real way, or with a mutant in between. */
export function mutatedEvaluator(plain: Evaluator, process: SimProcess): Evaluator {
  return process.world.mutant?.evaluator?.(plain) ?? plain;
}

/** Sessions with some differences. */
export function differing(inner: SessionStore, different: Partial<SessionStore>): SessionStore {
  return {
    openSession: (session, leaseMs, origin) => inner.openSession(session, leaseMs, origin),
    renewSession: (session) => inner.renewSession(session),
    endSession: (session, beat) => inner.endSession(session, beat),
    closeSession: (session) => inner.closeSession(session),
    listSessions: () => inner.listSessions(),
    forgetSession: (session) => inner.forgetSession(session),
    findHeld: (session, query) => inner.findHeld(session, query),
    readRevisions: (taskIds) => inner.readRevisions(taskIds),
    ...different,
  };
}

/** A store that does some things differently. */
export function overriding(inner: TaskStore, different: Partial<TaskStore>): TaskStore {
  return {
    insert: (task) => inner.insert(task),
    commit: (previous, next, onLeft) => inner.commit(previous, next, onLeft),
    get: (taskId) => inner.get(taskId),
    snapshots: inner.snapshots,
    findByKey: (key) => inner.findByKey(key),
    findDue: (now, limit, range) => inner.findDue(now, limit, range),
    list: (query) => inner.list(query),
    walk: (filter) => inner.walk(filter),
    countLive: () => inner.countLive(),
    ping: () => inner.ping(),
    close: () => inner.close(),
    ...different,
  };
}
