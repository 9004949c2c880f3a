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
    name: 'lock-kept-inside',
    bug: 'a step that lies in a scope keeps its place in the line of a lock',
    edit: (previous, next) => {
      if (next.outcome !== null) return;
      const { length } = next.plan.steps;
      const left = previous.locks.filter((ticket) => {
        const isThere = next.locks.some(({ number }) => number === ticket.number);
        return ticket.step !== null && ticket.step >= length && !isThere;
      });
      if (left.length > 0) (next as { locks: Task['locks'] }).locks = [...next.locks, ...left];
    },
  },
  {
    name: 'lock-untold',
    bug: 'tasks in the line of a lock never learn that their turn has come',
    locks: (inner, { lines }) => ({
      enter: async (order) => {
        const { name, number, taskId } = order;
        const line = lines.get(name) ?? [];
        const isThere = line.some((e) => e.taskId === taskId && e.number === number);
        return (await inner.enter(order)) && !isThere;
      },
      leave: (place) => inner.leave(place),
      readLine: (name) => inner.readLine(name),
      listLines: (query) => inner.listLines(query),
    }),
  },
  {
    name: 'lock-overbooked',
    bug: 'every task in the line of a lock holds it',
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
