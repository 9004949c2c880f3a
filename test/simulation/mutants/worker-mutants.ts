import type { ActionRun, LeaseTerms, StepRuns, Task } from '#core';
import type { WorkClaim, WorkDesk, WorkItem } from '#engine';
import type { Mutant } from '../mutant.js';
import type { StoreServer } from '../store-server.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** A run in a worker's hands after a commit, and as it was before. */
interface Held {
  readonly run: ActionRun;
  readonly terms: LeaseTerms;
  readonly before: ActionRun | null;
  readonly isNew: boolean;
}

/** Bugs of the leases of workers, and of the desks where they fetch actions. */
export const WORKER_MUTANTS: readonly Mutant[] = [
  {
    name: 'delivered-for-whole-lease',
    bug: 'a claim without a sign of life has the whole lease of the worker',
    hasWorkers: true,
    edit: (previous, next) => {
      for (const { isNew, run, terms } of heldIn(previous, next)) {
        if (isNew) change(run, { dueAt: terms.since + 2 * terms.lengthMs });
      }
    },
  },
  {
    name: 'delivered-as-held',
    bug: 'a claim counts as held before a sign of life',
    hasWorkers: true,
    edit: (previous, next) => {
      for (const { isNew, run } of heldIn(previous, next)) if (isNew) term(run, { isHeld: true });
    },
  },
  {
    name: 'delivered-charged',
    bug: 'a delivered claim that ends keeps its attempt',
    hasWorkers: true,
    edit: (previous, next) => {
      for (const { after, before } of lostIn(previous, next)) {
        if (before.lease?.terms?.isHeld !== false || after.attempts !== before.attempts - 1)
          continue;
        change(after, { attempts: before.attempts, unheld: before.unheld });
      }
    },
  },
  {
    name: 'called-off-renewed',
    bug: 'a heartbeat renews a claim whose worker was told to stop',
    hasWorkers: true,
    edit: (previous, next) => {
      for (const { isNew, run, terms } of heldIn(previous, next)) {
        if (isNew || !terms.isCancelled) continue;
        term(run, { isCancelled: false });
        change(run, { dueAt: (run.dueAt ?? 0) + terms.lengthMs });
      }
    },
  },
  {
    name: 'undone-beside-worker',
    bug: 'a task that turns back takes the claims of its workers away',
    hasWorkers: true,
    edit: (previous, next) => {
      if (previous.way !== 'forward' || next.way !== 'back') return;
      const runs = next.runs as StepRuns[];
      for (const [place, step] of runs.entries()) {
        const { normal } = step;
        if (normal.lease?.terms === undefined) continue;
        const over = { state: 'failed', lease: null, dueAt: null } as const;
        runs[place] = { ...step, normal: { ...normal, ...over } };
      }
    },
  },
  {
    name: 'lease-end-not-awaited',
    bug: 'nobody looks at a task when the lease of a worker ends',
    hasWorkers: true,
    edit: (previous, next) => {
      const ends = heldIn(previous, next).map(({ run }) => run.dueAt);
      if (!ends.includes(next.wakeAt)) return;
      (next as Editable<Task>).wakeAt = (next.wakeAt ?? 0) + 60_000;
    },
  },
  {
    name: 'reports-forgotten',
    bug: 'the outcomes of claims are not remembered',
    hasWorkers: true,
    edit: (_previous, next) => {
      (next as Editable<Task>).reports = [];
    },
  },
  {
    name: 'confirm-dropped',
    bug: 'workers are not told to have a claim confirmed before they begin',
    hasWorkers: true,
    desk: (inner) =>
      over(inner, {
        poll: async (order, closed) => {
          const answer = await inner.poll(order, closed);
          return { ...answer, items: answer.items.map((item) => ({ ...item, confirm: false })) };
        },
      }),
  },
  {
    name: 'any-token-taken',
    bug: 'an outcome ends the claim that the action has now, whatever its token',
    hasWorkers: true,
    desk: (inner, server) =>
      over(inner, { report: (claim, told) => inner.report(newest(claim, server), told) }),
  },
  {
    name: 'late-told-as-taken',
    bug: 'a worker is told that its late outcome counts',
    hasWorkers: true,
    desk: (inner) =>
      over(inner, {
        report: async (claim, told) => {
          const answer = await inner.report(claim, told);
          if (answer.kind !== 'late') return answer;
          return { kind: 'taken', taskStatus: 2, isReplayed: false, isTooLarge: false };
        },
      }),
  },
  {
    name: 'replay-unchecked',
    bug: 'a repeated poll gets what it got before, though its worker lost it',
    hasWorkers: true,
    desk: (inner) => {
      const known = new Map<string, readonly WorkItem[]>();
      return over(inner, {
        poll: async (order, closed) => {
          const items = known.get(order.pollId ?? '') ?? [];
          if (items.length > 0) return { items, isDraining: false };
          const answer = await inner.poll(order, closed);
          if (order.pollId !== undefined) known.set(order.pollId, answer.items);
          return answer;
        },
      });
    },
  },
  {
    name: 'poll-not-repeated',
    bug: 'a repeated poll claims something new',
    hasWorkers: true,
    desk: (inner) =>
      over(inner, {
        poll: (order, closed) => {
          const { pollId: _pollId, ...rest } = order;
          return inner.poll(rest, closed);
        },
      }),
  },
  {
    name: 'unread-not-handed-back',
    bug: 'the claims of an answer that could not be written stay with their worker',
    hasWorkers: true,
    desk: (inner) => over(inner, { handBack: () => Promise.resolve() }),
  },
  {
    name: 'held-by-memory',
    bug: 'a heartbeat is answered without a look at the document',
    hasWorkers: true,
    desk: (inner) =>
      over(inner, {
        heartbeat: (beats) =>
          Promise.resolve(beats.map(() => ({ state: 'held', leaseMs: 10_000 }) as const)),
      }),
  },
];

function heldIn(previous: Task, next: Task): readonly Held[] {
  return pairs(previous, next).flatMap(([run, before]) => {
    const terms = run.lease?.terms;
    if (terms === undefined || run === before) return [];
    return [{ run, terms, before, isNew: run.lease?.token !== before?.lease?.token }];
  });
}

/** Runs that were in a worker's hands, and are queued now. */
function lostIn(
  previous: Task,
  next: Task,
): readonly { readonly after: ActionRun; readonly before: ActionRun }[] {
  return pairs(previous, next).flatMap(([after, before]) => {
    if (before?.lease?.terms === undefined || after.state !== 'queued') return [];
    return [{ after, before }];
  });
}

function pairs(previous: Task, next: Task): readonly (readonly [ActionRun, ActionRun | null])[] {
  return next.runs.flatMap(({ normal, rollback }, place) => {
    const before = previous.runs[place];
    const both: (readonly [ActionRun, ActionRun | null])[] = [[normal, before?.normal ?? null]];
    if (rollback !== null) both.push([rollback, before?.rollback ?? null]);
    return both;
  });
}

function change(run: ActionRun, members: Partial<ActionRun>): void {
  Object.assign(run as Editable<ActionRun>, members);
}

function term(run: ActionRun, members: Partial<LeaseTerms>): void {
  const { lease } = run;
  if (lease?.terms === undefined) return;
  change(run, { lease: { ...lease, terms: { ...lease.terms, ...members } } });
}

/** The claim that the action of another one has now, as far as a worker has it. */
function newest(claim: WorkClaim, { tasks }: StoreServer): WorkClaim {
  const runs = tasks.get(claim.taskId)?.runs[claim.place];
  const lease = (claim.direction === 'normal' ? runs?.normal : runs?.rollback)?.lease;
  return lease?.terms === undefined ? claim : { ...claim, token: lease.token };
}

/** A desk that does some things differently. */
function over(inner: WorkDesk, different: Partial<WorkDesk>): WorkDesk {
  return {
    get parked() {
      return inner.parked;
    },
    register: (registration) => inner.register(registration),
    goodBye: (worker, keyMark) => inner.goodBye(worker, keyMark),
    drain: (worker, isDraining) => inner.drain(worker, isDraining),
    poll: (order, closed) => inner.poll(order, closed),
    handBack: (claims) => inner.handBack(claims),
    heartbeat: (beats) => inner.heartbeat(beats),
    outputRules: (claim) => inner.outputRules(claim),
    report: (claim, outcome, next) => inner.report(claim, outcome, next),
    say: (...told) => inner.say(...told),
    modulesOf: (worker) => inner.modulesOf(worker),
    close: () => inner.close(),
    ...different,
  };
}
