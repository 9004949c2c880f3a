import {
  type ActionRun,
  type Answer,
  type JournalEntry,
  type Moment,
  NOTHING_TO_UNDO,
  type StepPlan,
  type Task,
} from '#core';
import { stepAt } from '#core/scopes';
import { type Moved, transition } from '#core/transitions';
import type { Evaluator } from '#ports';
import type { Mutant } from '../mutant.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };
type Values = Extract<Answer, { values: unknown }>['values'];

/** Bugs of what single kinds of steps do, and of the members that every step may have. */
export const STEP_MUTANTS: readonly Mutant[] = [
  {
    name: 'wrong-case',
    bug: 'a choice takes the case after the one whose condition holds',
    evaluator: answering(({ when, ...values }) => {
      return typeof when === 'number' ? { ...values, when: when === 0 ? 1 : 0 } : values;
    }),
  },
  {
    name: 'condition-ignored',
    bug: 'a step whose condition is false runs all the same',
    evaluator: (inner) => ({
      answer: async ({ members, scene }) => {
        const rest = members.filter(({ as }) => as !== 'gate');
        const answer = await inner.answer({ members: rest, scene });
        const gate = rest.length < members.length ? { if: true } : {};
        return 'values' in answer ? { values: { ...answer.values, ...gate } } : answer;
      },
    }),
  },
  {
    name: 'condition-inverted',
    bug: 'a step whose condition holds is passed over',
    evaluator: answering((values) => ('if' in values ? { ...values, if: false } : values)),
  },
  {
    name: 'set-loses-values',
    bug: 'a step that sets parameters sets none',
    edit: (previous, next) => {
      for (const [place, { normal }] of next.runs.entries()) {
        if (stepAt(next, place)?.set === undefined || normal.output === null) continue;
        if (normal === previous.runs[place]?.normal) continue;
        (normal as Editable<ActionRun>).output = {};
      }
    },
  },
  {
    name: 'no-taken-for-yes',
    bug: 'a rejected approval counts as approved',
    writer: (writer) => {
      const plain = writer['decide'].bind(writer);
      writer['decide'] = (job, task, isGuess) => {
        const decision = plain(job, task, isGuess);
        return decision?.kind === 'moved' ? approvedIn(task, decision, writer.moment()) : decision;
      };
    },
  },
  {
    name: 'early-end-ignored',
    bug: 'a task goes on after a step that ended it early',
    writer: deciding({
      see: (task) => withRollbacks(task, (rollback) => rollback?.state === 'none', null),
      keep: (task) => ({
        ...withRollbacks(task, (rollback) => rollback === null, NOTHING_TO_UNDO),
        index: null,
      }),
    }),
  },
  {
    name: 'optional-not-forgiven',
    bug: 'a task turns back when an optional step fails',
    writer: deciding({
      see: (task) => ({ ...task, plan: { ...task.plan, steps: unforgiven(task.plan.steps) } }),
      keep: (task, { plan }) => ({ ...task, plan }),
    }),
  },
];

/** Gives templates other values. */
function answering(alter: (values: Values) => Values): (inner: Evaluator) => Evaluator {
  return (inner) => ({
    answer: async (question) => {
      const answer = await inner.answer(question);
      return 'values' in answer ? { values: alter(answer.values) } : answer;
    },
  });
}

/** Decides on another view of each document, and takes that out of what comes of it. */
function deciding({
  keep,
  see,
}: {
  readonly see: (task: Task) => Task;
  readonly keep: (task: Task, before: Task) => Task;
}): NonNullable<Mutant['writer']> {
  return (writer) => {
    const plain = writer['decide'].bind(writer);
    writer['decide'] = (job, task, isGuess) => {
      const decision = plain(job, see(task), isGuess);
      if (decision?.kind !== 'moved') return decision;
      return { ...decision, task: keep(decision.task, task) };
    };
  };
}

/** Puts another rollback beside the steps that ended their task early. */
function withRollbacks(
  task: Task,
  isIt: (rollback: ActionRun | null) => boolean,
  by: ActionRun | null,
): Task {
  const runs = task.runs.map((run, place) => {
    const isEnd = run.normal.state === 'succeeded' && stepAt(task, place)?.succeed !== undefined;
    return isEnd && isIt(run.rollback) ? { ...run, rollback: by } : run;
  });
  return { ...task, runs };
}

const withoutOptional = new WeakMap<readonly StepPlan[], readonly StepPlan[]>();

/** The steps of a list, and those that they hold, none of which is optional. */
function unforgiven(steps: readonly StepPlan[]): readonly StepPlan[] {
  const text = JSON.stringify(steps, (key, value: unknown) => {
    return key === 'optional' ? undefined : value;
  });
  const known = withoutOptional.get(steps) ?? (JSON.parse(text) as readonly StepPlan[]);
  withoutOptional.set(steps, known);
  return known;
}

/** Takes a no for a yes; the journal has the no. */
function approvedIn(task: Task, no: Moved, moment: Moment): Moved {
  const entry = no.entries.find(({ kind }) => kind === 'rejected');
  if (entry === undefined) return no;
  const { actor = '', message = '', run, step = '' } = entry;
  const key = no.task.doneActions.at(-1)?.key ?? null;
  const said = { actor, reason: message, key, step: run ?? step, isApproved: true };
  const yes = transition(task, { kind: 'judged', ...said }, { moment });
  if (yes.kind !== 'moved') return no;
  for (const told of yes.entries) {
    if (told.kind === 'approved') (told as Editable<JournalEntry>).kind = 'rejected';
  }
  return yes;
}
