import type { Course, PlannedPlace, PlannedStart, PlannedUndo, Task } from '../api/shapes.js';
import { stateWord, WORDS } from '../words.js';
import type { PreviewedForm } from './action-form.js';
import type { TaskAction, Verb } from './actions.js';
import { addressOf, passedPivots, running, withDependents } from './steps.js';

const { preview: TEXT } = WORDS;

/** The effect that an action would have, for people. */
export interface Preview {
  readonly sentences: readonly string[];
  /** The steps and undos that run, in this order. */
  readonly order: readonly string[];
  /** How long it takes; null: that is not known. */
  readonly time: string | null;
}

/** An action that the server previews: a restart is a new task, and nothing of the old changes. */
type AskedVerb = Exclude<Verb, 'restart'>;

/** An action on a task. `step` is empty where none was picked. */
interface Previewed {
  readonly verb: AskedVerb;
  readonly task: Task;
  readonly step: string;
  /** The child tasks that begin again; null: there are none to choose from. */
  readonly children: PreviewedForm['children'];
}

/** Whether the server says what an action would do. */
export function isAsked(verb: Verb): verb is AskedVerb {
  return verb !== 'restart';
}

/** The question to the server about an action. */
export function previewQuery(
  { stepMember, verb }: Pick<TaskAction, 'stepMember' | 'verb'>,
  { children, step }: PreviewedForm,
): URLSearchParams {
  const query = new URLSearchParams({ action: verb });
  if (stepMember !== undefined && step !== '') query.set(stepMember.name, step);
  if (children !== null) query.set('children', children);
  return query;
}

/** The meaning of an action, and the course that the server says it would take. */
export function previewOf(previewed: Previewed, course: Course): Preview {
  const { estimate, isCut, obstacle, status, undoes } = course;
  const meaning = MEANINGS[previewed.verb](previewed);
  const isPaused = status.before === 'paused' && status.after === 'paused';
  const lost = undoes.filter(({ served }) => !served).map((undo) => commandOf(undo));
  return {
    sentences: [
      ...meaning.first,
      ...becomes(course),
      ...(isPaused && undoes.length > 0 ? [TEXT.onceResumed] : []),
      ...named(previewed, course.calledOff, TEXT.calledOff),
      ...(meaning.goesBack === true && hasNothing(course) ? [TEXT.nothing] : []),
      ...named(previewed, course.leftOver, meaning.stays ?? TEXT.noUndo),
      ...listed([...new Set(lost)], TEXT.unserved),
      ...(isCut ? [TEXT.more] : []),
      ...(obstacle === null ? [] : [TEXT.notAll(obstacle)]),
      ...(meaning.last ?? []),
    ],
    order: orderOf(previewed, course),
    time: estimate === null || estimate.p50 === null ? null : estimate.message,
  };
}

/** The preview of a restart. */
export function restartPreview({ flow }: Pick<Task, 'flow'>): Preview {
  return { sentences: [TEXT.restarts(flow)], order: [], time: null };
}

/** The meaning of an action, whatever the server says of its course. */
interface Meaning {
  readonly first: readonly string[];
  readonly last?: readonly string[];
  /** It is there to undo something. */
  readonly goesBack?: boolean;
  /** How what stays is told; default: as what has no undo. */
  readonly stays?: (steps: string) => string;
}

const MEANINGS: Readonly<Record<AskedVerb, (previewed: Previewed) => Meaning>> = {
  rollback: ({ step, task: { steps } }) => {
    if (step === '') return { first: [TEXT.stops], goesBack: true };
    const kept = passedPivots(steps).map(TEXT.pivot);
    return { first: [TEXT.stops, ...kept], last: [TEXT.heldWith(step)], goesBack: true };
  },
  undo: () => ({ first: [TEXT.goesBack], goesBack: true }),
  terminate: () => ({ first: [TEXT.ends], stays: TEXT.stay }),
  retry: ({ task: { status } }) => {
    const way = status === 'rollback_failed' ? TEXT.wayBack : TEXT.wayForward;
    return { first: [TEXT.freshBudget, way] };
  },
  skip: ({ step, task: { status } }) => ({
    first:
      status === 'rollback_failed'
        ? [TEXT.undoneByHand(step), TEXT.notRunBack]
        : [TEXT.done(step), TEXT.notRun],
  }),
  complete: ({ step }) => ({ first: [TEXT.completes(step)] }),
  pause: ({ task: { steps } }) => {
    const busy = running(steps).map(addressOf);
    return { first: [TEXT.pauses, ...(busy.length === 0 ? [TEXT.idle] : [])], last: ends(busy) };
  },
  resume: () => ({ first: [TEXT.resumes] }),
  reset: ({ children, step, task: { steps } }) => {
    const isKept = children === 'failed';
    const names = [...withDependents(steps, step)].filter((name) => !isKept || name !== step);
    return {
      first: [...listed(names, TEXT.newRuns), ...(isKept ? [TEXT.childrenStay(step)] : [])],
      last: [TEXT.forwardFrom(step)],
      goesBack: true,
    };
  },
  approve: ({ step }) => ({ first: [TEXT.approves(step)] }),
  reject: ({ step }) => ({ first: [TEXT.rejects(step)] }),
};

function ends(steps: readonly string[]): readonly string[] {
  return listed(steps, TEXT.endFirst);
}

function becomes({ status: { after, before } }: Course): readonly string[] {
  return after === before ? [] : [TEXT.becomes(stateWord(after))];
}

function hasNothing({ isCut, obstacle, undoes }: Course): boolean {
  return undoes.length === 0 && obstacle === null && !isCut;
}

/** An undo that starts at once is one of the undos that follow. */
function orderOf(previewed: Previewed, { starts, undoes }: Course): readonly string[] {
  const forward = starts.filter(({ direction }) => direction === 'normal');
  return [
    ...forward.map((start) => withCommand(TEXT.begins(nameOf(previewed, start)), start)),
    ...undoes.map((undo) => withCommand(nameOf(previewed, undo), undo)),
  ];
}

function withCommand(name: string, action: PlannedStart | PlannedUndo): string {
  return action.module === null ? name : `${name}: ${commandOf(action)}`;
}

function named(
  previewed: Previewed,
  places: readonly PlannedPlace[],
  sentence: (names: string) => string,
): readonly string[] {
  return listed(
    places.map((place) => nameOf(previewed, place)),
    sentence,
  );
}

function listed(names: readonly string[], sentence: (names: string) => string): readonly string[] {
  return names.length === 0 ? [] : [sentence(names.join(', '))];
}

function nameOf({ task }: Previewed, { id, taskId }: PlannedPlace): string {
  return taskId === task.taskId ? id : TEXT.ofTask(id, taskId);
}

function commandOf({ command, module }: PlannedStart | PlannedUndo): string {
  return `${module}.${command}`;
}
