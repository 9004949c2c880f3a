import type { Step, Task } from '../api/shapes.js';
import type { Verb } from './actions.js';
import {
  allSteps,
  passedPivots,
  type PlacedStep,
  running,
  undoOrder,
  withChildren,
  withDependents,
  withoutUndo,
} from './steps.js';

/** The effect that an action would have, as far as the task shows it. */
export interface Preview {
  readonly sentences: readonly string[];
  /** The steps or undos that run, in this order. */
  readonly order: readonly string[];
}

type Maker = (task: Task, step: string) => Preview;

/** The preview of an action done now. `step` is empty where none was picked. */
export function previewOf(verb: Verb, task: Task, step: string): Preview {
  return MAKERS[verb](task, step);
}

const MAKERS: Readonly<Record<Verb, Maker>> = {
  rollback: (task, step) => {
    if (step === '') return goingBack(task.steps, ['The task stops going forward.']);
    const names = withDependents(task.steps, step);
    const part = task.steps.filter(({ name }) => names.has(name));
    const end = `Then the task is on hold; ${step} and what needs it can be retried.`;
    const pivots = passedPivots(task.steps);
    const why = pivots.map((name) => `${name} stays: it is a point of no return.`);
    return goingBack(part, ['The task stops going forward.', ...why], [end]);
  },
  undo: ({ steps }) => goingBack(steps, ['The task goes back as if it had failed at its end.']),
  terminate: ({ steps }) => {
    const left = undoOrder(steps).map(nameOf);
    const stays = left.length === 0 ? [] : [`Nothing is undone. These stay: ${left.join(', ')}.`];
    return plain('The task stops here for good.', ...calledOff(steps), ...stays);
  },
  retry: (task) => {
    const isBack = task.status === 'rollback_failed';
    const names = allSteps(task.steps).filter(({ step }) =>
      isBack ? step.rollback?.state === 'failed' : isFailed(step),
    );
    const what = isBack ? 'undo' : 'step';
    const again = names.map((placed) => `${what} ${nameOf(placed)} starts with a fresh budget`);
    const way = isBack ? 'Then the way back goes on.' : 'Then the task goes forward.';
    return { sentences: [way], order: again };
  },
  skip: (task, step) =>
    task.status === 'rollback_failed'
      ? plain(`${step} counts as undone by hand.`, 'Nothing is run for it. The way back goes on.')
      : plain(`${step} counts as done, with the output below.`, 'Nothing is run for it.'),
  pause: ({ steps }) => {
    const busy = running(steps).map(nameOf);
    const ends = busy.length === 0 ? 'Nothing runs now.' : `These end first: ${busy.join(', ')}.`;
    return plain('Nothing new is started, in either direction.', ends);
  },
  resume: () => plain('The task goes on in the direction it had.'),
  reset: (task, step) => {
    const names = withDependents(task.steps, step);
    const part = task.steps.filter(({ name }) => names.has(name));
    const again = `Then the task goes forward again from ${step}.`;
    return goingBack(part, [`${[...names].join(', ')}: new runs begin.`], [again]);
  },
  restart: ({ flow }) => plain(`A new task of ${flow} begins with the same parameters.`),
  approve: (_task, step) => plain(`${step} succeeds, and the task goes on.`),
  reject: (_task, step) => plain(`${step} fails as rejected, and the flow says what follows.`),
};

function goingBack(
  steps: readonly Step[],
  before: readonly string[],
  after: readonly string[] = [],
): Preview {
  const order = undoOrder(steps).map(
    (placed) => `${nameOf(placed)}: ${commandOf(placed.step.rollback)}`,
  );
  const stays = withoutUndo(steps).map(nameOf);
  const kept = stays.length === 0 ? [] : [`These have no undo: ${stays.join(', ')}.`];
  const parents = withChildren(steps).map(nameOf);
  const below =
    parents.length === 0 ? [] : [`Child tasks are undone too, of these: ${parents.join(', ')}.`];
  const isNone = order.length === 0 && below.length === 0;
  const none = isNone ? ['Nothing has to be undone.'] : [];
  const sentences = [...before, ...calledOff(steps), ...none, ...below, ...kept, ...after];
  return { sentences, order };
}

/** The steps that run now, which an action that turns the task round calls off. */
export function calledOff(steps: readonly Step[]): readonly string[] {
  const busy = running(steps).map(nameOf);
  return busy.length === 0 ? [] : [`Running, to be called off: ${busy.join(', ')}.`];
}

function plain(...sentences: readonly string[]): Preview {
  return { sentences, order: [] };
}

function isFailed({ state }: Step): boolean {
  return state === 'failed' || state === 'timed_out';
}

function nameOf({ isOwn, step }: PlacedStep): string {
  return isOwn ? step.name : step.id;
}

function commandOf(action: Step['rollback']): string {
  return action ? `${action.module}.${action.command}` : '';
}
