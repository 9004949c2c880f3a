import {
  type ActionRef,
  type EventOf,
  questionOf,
  type Task,
  type TaskEvent,
  type WorkerOutcome,
} from '#core';
import { nextAttempt, runOf } from '#core/scopes';
import { LEFT_TO_OTHERS, OF_WORKERS } from './small-flows.js';

const NOBODYS_TOKEN = 999;
const FAILURE = { failure: 'FAILED', message: 'no' } as const;
const PERSON = { actor: 'p', reason: 'r' } as const;

/** Everything that may happen to a task now, one event of each kind that makes a difference. */
export function eventsFor(task: Task): readonly TaskEvent[] {
  return [
    ...actionsOf(task).flatMap((ref) => [
      ...claimsOf(task, ref),
      ...reportsOf(task, ref),
      ...workersEvents(task, ref),
    ]),
    ...answersTo(task),
    ...completionsOf(task),
    ...looksAt(task),
    ...personsActions(task),
  ];
}

/** The queued rollbacks of a task are claimed, one after the other, and fail for good. */
export function failuresOf({ runs, token }: Task): readonly TaskEvent[] {
  let last = token;
  return runs.flatMap(({ rollback }, step): TaskEvent[] => {
    if (rollback?.state !== 'queued') return [];
    const ref = { direction: 'rollback', step } as const;
    const attempt = nextAttempt(rollback);
    return [
      { kind: 'claimed', ...ref, owner: 'e', attempt },
      { kind: 'failed', ...ref, token: (last += 1), terminal: true, ...FAILURE },
    ];
  });
}

/** References to every action of a task, and to one that it does not have. */
export function actionsOf({ runs }: Task): readonly ActionRef[] {
  const refs = runs.flatMap((_, step): ActionRef[] => [
    { direction: 'normal', step },
    { direction: 'rollback', step },
  ]);
  const step = runs.length;
  return [...refs, { direction: 'normal', step }, { direction: 'rollback', step }];
}

function claimsOf(task: Task, ref: ActionRef): readonly TaskEvent[] {
  const run = runOf(task, ref);
  const attempt = run === null ? 1 : nextAttempt(run);
  const worker = { lengthMs: 30_000, poll: null };
  const isWorkers = task.plan.flow === OF_WORKERS;
  const claim = { kind: 'claimed', ...ref, owner: 'e', ...(isWorkers && { worker }) } as const;
  const late = { ...claim, attempt: attempt + 1 };
  return run?.state === 'queued' ? [{ ...claim, attempt }, late] : [{ ...claim, attempt }];
}

/** Answers to what a task asks about an action, and one to what it does not. */
function answersTo(task: Task): readonly TaskEvent[] {
  return actionsOf(task).flatMap((ref): TaskEvent[] => {
    const fault = { member: 'if', position: null, reason: 'no' };
    const late = { kind: 'answered', ...ref, question: 'late', answer: { fault } } as const;
    const question = runOf(task, ref) === null ? null : questionOf(task, ref);
    if (question === null) return [late];
    const answer = { ...late, question: question.id };
    const values = [{ if: true }, { if: false }].map((all) => ({ ...all, title: 'sure?' }));
    return [late, answer, ...values.map((all) => ({ ...answer, answer: { values: all } }))];
  });
}

/** Completions from outside: of the last attempt, and of one that is over. */
function completionsOf(task: Task): readonly TaskEvent[] {
  return actionsOf(task).flatMap((ref): TaskEvent[] => {
    const { direction, step } = ref;
    if (task.plan.flow !== LEFT_TO_OTHERS) return [];
    const attempt = runOf(task, ref)?.attempts ?? 1;
    const said = { kind: 'completed', direction, step, ...PERSON } as const;
    const of = (last: number, result: EventOf<'completed'>['result']): TaskEvent => {
      const key = `${direction} ${step} ${last} ${JSON.stringify(result).length}`;
      return { ...said, key, attempt: last, result };
    };
    return [
      of(attempt + 1, { output: null }),
      of(attempt, { output: null }),
      of(attempt, { failure: { terminal: true, ...FAILURE } }),
    ];
  });
}

/** Reports of a holder of the lease, and of one that has lost it. */
function reportsOf(task: Task, ref: ActionRef): readonly TaskEvent[] {
  const run = runOf(task, ref);
  const late = { ...ref, token: NOBODYS_TOKEN };
  const stale = [...endsOf(late).slice(0, 1), ...reportKinds(late)];
  if (run?.lease === null || run?.lease === undefined) return stale;
  const report = { ...ref, token: run.lease.token };
  return [...stale, ...endsOf(report), ...reportKinds(report), ...leftOf(task, report)];
}

/** The attempt is left to another system, or waits for what its command is to be given. */
function leftOf({ plan }: Task, report: ActionRef & { token: number }): readonly TaskEvent[] {
  if (plan.flow !== LEFT_TO_OTHERS) return [];
  const wait = { afterMs: 2_000, lostMs: 0 };
  return [
    { kind: 'completes_later', ...report, timeoutMs: 2_000 },
    { kind: 'handed_back', ...report, message: 'it is away', wait },
  ];
}

/** A worker renews its claim, or tells an outcome: of the claim it has, of the last, of none. */
function workersEvents(task: Task, ref: ActionRef): readonly TaskEvent[] {
  if (task.plan.flow !== OF_WORKERS) return [];
  const run = runOf(task, ref);
  const held = [run?.lease?.token ?? run?.expired?.token, task.reports.at(-1)?.token];
  const tokens = new Set([NOBODYS_TOKEN, ...held.filter((token) => token !== undefined)]);
  return [...tokens].flatMap((token): TaskEvent[] => {
    const report = { ...ref, token };
    const outcomes = [
      ...endsOf(report),
      ...reportKinds(report),
      { kind: 'completes_later', ...report, timeoutMs: 2_000 },
    ].filter(({ kind }) => kind !== 'timed_out') as readonly WorkerOutcome[];
    const told = outcomes.map((outcome, nth): TaskEvent => {
      return { kind: 'worker_reported', worker: 'e', hash: `${nth}`, outcome };
    });
    return [{ kind: 'renewed', ...report }, ...told];
  });
}

function reportKinds(report: ActionRef & { token: number }): readonly TaskEvent[] {
  return [
    { kind: 'not_finished', ...report, afterMs: 2_000 },
    { kind: 'not_finished', ...report, afterMs: 90_000 },
    { kind: 'timed_out', ...report, message: 'late' },
    { kind: 'handed_back', ...report, message: 'stopping' },
    { kind: 'failed', ...report, terminal: false, ...FAILURE },
  ];
}

function endsOf(report: ActionRef & { token: number }): readonly TaskEvent[] {
  return [
    { kind: 'succeeded', ...report, output: null },
    { kind: 'succeeded', ...report, output: { text: 'x'.repeat(100) } },
    { kind: 'failed', ...report, terminal: true, ...FAILURE },
    { kind: 'failed', ...report, terminal: true, refused: true, ...FAILURE },
    { kind: 'failed', ...report, terminal: false, afterMs: 90_000, ...FAILURE },
  ];
}

const NO_CHILDREN = { found: 0, succeeded: 0, failed: 0, active: 0, held: 0 };

function looksAt({ alert }: Task): readonly TaskEvent[] {
  const none = new Map<string, number>();
  return [
    { kind: 'tick', crowded: none },
    { kind: 'tick', crowded: new Map([['m', 5_000]]) },
    { kind: 'tick', crowded: none, ended: new Set(['e']) },
    { kind: 'tick', crowded: none, unreachable: ['m', 'monitor'] },
    { kind: 'children_counted', run: 'nowhere#1', counts: NO_CHILDREN },
    { kind: 'locks_named', number: 999, answer: { values: { locks: [] } } },
    { kind: 'locks_held', number: 999 },
    { kind: 'failure_flow_told', taskId: 'nobody' },
    { kind: 'alert_told', number: alert?.number ?? 1, taskId: 'call' },
    { kind: 'alert_told', number: 0, taskId: 'late' },
    { kind: 'restarted', owner: 'e' },
    { kind: 'restarted', owner: 'next life' },
  ];
}

/** Each action of a person, as a new one and as the repetition of one that was carried out. */
function personsActions({ doneActions, plan, revision }: Task): readonly TaskEvent[] {
  const steps = [...plan.steps.map(({ name }) => name), 'nowhere'];
  const done = doneActions[0]?.key ?? null;
  return [`new at ${revision}`, ...(done === null ? [] : [done])].flatMap((key): TaskEvent[] => [
    { kind: 'rollback_requested', ...PERSON, key },
    { kind: 'terminate_requested', ...PERSON, key },
    { kind: 'retry_requested', ...PERSON, key },
    { kind: 'pause_requested', ...PERSON, key },
    { kind: 'resume_requested', ...PERSON, key },
    { kind: 'undo_requested', ...PERSON, key },
    { kind: 'signal_received', ...PERSON, key, name: 'go', payload: {} },
    { kind: 'judged', ...PERSON, key, step: steps[0] ?? '', isApproved: true },
    { kind: 'judged', ...PERSON, key, step: steps[0] ?? '', isApproved: false },
    ...steps.map((to) => ({ kind: 'rollback_requested', ...PERSON, key, to }) as const),
    ...steps.map((step) => ({ kind: 'skip_requested', ...PERSON, key, step }) as const),
    ...steps.map((to) => ({ kind: 'reset_requested', ...PERSON, key, to }) as const),
  ]);
}
