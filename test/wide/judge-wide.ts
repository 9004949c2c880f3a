import { Api, effectsOf, type EventView, type TaskView } from '../load/index.js';
import type { Deployment } from '../stack/index.js';
import { TOLD_TO } from './flows.js';

/** Events that no journal has of a task whose processes live and reach their store. */
const TROUBLE: ReadonlySet<string> = new Set([
  'lease_lost',
  'timed_out',
  'alert_raised',
  'task_rollback_failed',
]);

/** The expected end of a wide task. */
export interface Expected {
  readonly status: 'succeeded' | 'rolled_back';
  /** Steps that have an effect. */
  readonly effects: number;
}

/** The faults of a wide task; every action is to have had one attempt. */
export async function wideFaults(
  { effectsUrl, url }: Pick<Deployment, 'effectsUrl' | 'url'>,
  taskId: string,
  expected: Expected,
): Promise<readonly string[]> {
  const api = new Api(url);
  const task = await api.task(taskId);
  const faults: string[] = [];
  if (task.status !== expected.status) faults.push(`it is ${task.status}: ${task.taskMessage}`);
  faults.push(...(await api.events(taskId)).flatMap(troubleOf));
  faults.push(...failures(task), ...attemptFaults(task));
  const undone = expected.status === 'rolled_back' ? 1 : 0;
  const effects = await effectsOf(new Api(effectsUrl), taskId);
  const odd = effects.filter((effect) => effect.applied !== 1 || effect.undone !== undone);
  if (effects.length !== expected.effects) {
    faults.push(`it has ${effects.length} effects, not ${expected.effects}`);
  }
  faults.push(...odd.map((one) => `${one.step} happened ${one.applied}, undone ${one.undone}`));
  return faults.map((fault) => `task ${taskId}: ${fault}`);
}

/** Steps and rollbacks that failed without being told to. */
function failures({ steps }: TaskView): readonly string[] {
  return steps.flatMap(({ message, name, rollback, state }) => [
    ...(state === 'failed' && message !== TOLD_TO ? [`${name} failed: ${message}`] : []),
    ...(rollback?.state === 'failed' ? [`${name} was not undone: ${rollback.message}`] : []),
  ]);
}

function attemptFaults({ steps }: TaskView): readonly string[] {
  const never = steps.filter(({ attempts }) => attempts === 0);
  const again = steps.filter(({ attempts }) => attempts > 1);
  const backAgain = steps.filter(({ rollback }) => (rollback?.attempts ?? 0) > 1);
  return [
    ...(never.length > 0 ? [`${never.length} steps never started`] : []),
    ...again.map(({ attempts, name }) => `${name} had ${attempts} attempts`),
    ...backAgain.map(({ name }) => `the rollback of ${name} had more than one attempt`),
  ];
}

function troubleOf({ actor, at, direction, kind, step }: EventView): readonly string[] {
  return TROUBLE.has(kind) ? [`${at} ${kind}: ${direction} of ${step}, ${actor}`] : [];
}
