import type { Task } from '#core';
import type { Mutant } from '../mutant.js';

/** Bugs of locks: who holds them, and how long. */
export const LOCK_MUTANTS: readonly Mutant[] = [
  {
    name: 'lock-kept',
    bug: 'a task that has ended, or a step, keeps its place in the line of a lock',
    locks: (inner) => ({
      enter: (order) => inner.enter(order),
      leave: async () => [],
      readLine: (name) => inner.readLine(name),
      listLines: (query) => inner.listLines(query),
    }),
  },
  {
    name: 'lock-overbooked',
    bug: 'whoever stands in the line of a lock holds it',
    locks: (inner) => ({
      enter: async (order) => {
        await inner.enter(order);
        return true;
      },
      leave: (place) => inner.leave(place),
      readLine: (name) => inner.readLine(name),
      listLines: (query) => inner.listLines(query),
    }),
  },
  {
    name: 'lock-let-go-early',
    bug: 'a lock is let go when its task turns back',
    edit: (previous, next) => {
      if (previous.way === 'forward' && next.way === 'back') {
        (next as { locks: Task['locks'] }).locks = [];
      }
    },
  },
];
