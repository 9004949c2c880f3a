import type { Task } from '#core';
import { asOneChange, type Decision } from '#core/transitions';
import type { TaskWriter } from '#engine';
import type { Mutant } from '../mutant.js';

type Folding = TaskWriter['fold'];
type Fold = ReturnType<Folding>;

/**
 * Bugs of the mailbox, in which decisions on one task meet that become one commit. They replace
 * methods of the writer of each process.
 */
export const WRITER_MUTANTS: readonly Mutant[] = [
  {
    name: 'fold-drops-decision',
    bug: 'the last of several decisions in one commit is acknowledged, but not stored',
    writer: folding((fold, { base }) => {
      const before = movesOf(fold.decisions).at(-2);
      return before === undefined ? fold : { ...fold, task: asOneChange(base, before.task) };
    }),
  },
  {
    name: 'fold-keeps-withdrawn',
    bug: 'a message is sent although a later decision of the same commit withdrew it',
    writer: folding((fold, { made }) => ({ ...fold, decisions: made })),
  },
  {
    name: 'fold-on-stored',
    bug: 'each decision of a commit is made on the stored document, and the last one counts',
    writer: (writer) => {
      const plain = writer['decide'].bind(writer);
      let base: Task | null = null;
      const fold = writer['fold'].bind(writer);
      writer['fold'] = (stored, jobs, isGuess) => {
        base = stored;
        return fold(stored, jobs, isGuess);
      };
      writer['decide'] = (job, task, isGuess) => plain(job, base ?? task, isGuess);
    },
  },
  {
    name: 'slot-taken-twice',
    bug: 'a step that goes on in the slot of the one before it takes one more',
    slots: (slots) => {
      const plain = slots.mayPass.bind(slots);
      slots.mayPass = (module, orderAt) => {
        const may = plain(module, orderAt);
        if (may) slots.takeAnyway(module);
        return may;
      };
    },
  },
  {
    name: 'mailbox-stays-behind',
    bug: 'decisions in a mailbox are made on the document before its last commit',
    writer: (writer) => {
      const plain = writer['drain'].bind(writer);
      writer['drain'] = (taskId, mailbox) => plain(taskId, stayingBehind(mailbox));
    },
  },
];

/** Alters the results of decisions that become one commit. */
function folding(
  alter: (fold: Fold, from: { base: Task; made: readonly (Decision | null)[] }) => Fold,
): NonNullable<Mutant['writer']> {
  return (writer) => {
    const plain = { decide: writer['decide'].bind(writer), fold: writer['fold'].bind(writer) };
    let made: (Decision | null)[] = [];
    writer['decide'] = (job, task, isGuess) => {
      const decision = plain.decide(job, task, isGuess);
      made.push(decision);
      return decision;
    };
    writer['fold'] = (base, jobs, isGuess) => {
      made = [];
      return alter(plain.fold(base, jobs, isGuess), { base, made });
    };
  };
}

function movesOf(decisions: readonly (Decision | null)[]) {
  return decisions.filter((decision) => decision?.kind === 'moved');
}

/** A mailbox that takes the revision of a newer document, and none of the rest. */
function stayingBehind<T extends { task: Task | null }>(mailbox: T): T {
  let { task: known } = mailbox;
  return Object.defineProperty(mailbox, 'task', {
    get: () => known,
    set: (next: Task | null) => {
      const isNext = known !== null && next !== null && next.revision === known.revision + 1;
      known = isNext ? { ...(known as Task), revision: next.revision } : next;
    },
  });
}
