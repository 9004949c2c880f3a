import {
  type Api,
  canSucceed,
  type EventView,
  type NextOrder,
  type Order,
  someInstance,
} from '../load/index.js';
import type { Endured } from './ordeal.js';

/** Made, and undone after all of it is done: what `someInstance` asks for, by its flow's name. */
const CREATE = 'create-without-retry';
const CREATE_AND_FAIL = 'create-and-fail-without-retry';
/** Has its effects, however often its processes die. */
const UNHURT = 'lab-unhurt';
/** Its steps are undone, slowly, however often its processes die. */
const UNDONE = 'lab-undone';
/** Has a step that must not be started twice. */
const ONCE = 'lab-once';

/** Shares of the orders; the others are instances. */
const UNHURT_SHARE = 0.3;
const UNDONE_SHARE = 0.15;
const ONCE_SHARE = 0.15;

/** How long the slow step of each practice flow takes: long enough to be met by a kill. */
const SLOW = { ms: 800 };
const FAILURE = { kind: 'terminal', message: 'the last step was told to fail' };

/** In seconds, from the first start, also while nothing runs: far above what a test takes. */
const TIMEOUT = 3_600;

/** An action that no slow machine fails. */
const act = (module: string, command: string, parameters?: object) => {
  return { module, command, timeout: TIMEOUT, ...(parameters && { parameters }) };
};

const effect = (name: string) => ({
  name,
  normal: act('lab', 'effect', { name }),
  rollback: act('lab', 'undo_effect', { name }),
});
const slow = act('lab', 'sleep', SLOW);
const fail = { name: 'fail', normal: act('lab', 'fail', FAILURE) };

const INSTANCE = [
  { normal: act('resource', 'check_resource'), rollback: act('monitor', 'report_event') },
  { normal: act('mysql', 'init_instance'), rollback: act('mysql', 'clean_instance') },
  { normal: act('resource', 'deduct_resource'), rollback: act('resource', 'restore_resource') },
];

/** Flows none of whose actions has a retry. */
export const KILL_FLOWS = {
  [CREATE]: INSTANCE,
  [CREATE_AND_FAIL]: [...INSTANCE, fail],
  [UNHURT]: [effect('before'), { name: 'slow', normal: slow }, effect('after')],
  [UNDONE]: [
    effect('before'),
    { name: 'slow', normal: act('lab', 'succeed'), rollback: slow },
    fail,
  ],
  [ONCE]: [
    effect('before'),
    { name: 'once', normal: { ...slow, onCrash: 'fail' } },
    effect('after'),
  ],
};

/** Orders of {@link KILL_FLOWS}. */
export const someKillOrder: NextOrder = (random) => {
  let kind = random.next();
  if ((kind -= UNHURT_SHARE) < 0) return { flow: UNHURT, parameters: {} };
  if ((kind -= UNDONE_SHARE) < 0) return { flow: UNDONE, parameters: {} };
  if ((kind -= ONCE_SHARE) < 0) return { flow: ONCE, parameters: {} };
  const { flow, parameters } = someInstance(random);
  return { flow: flow === 'create-db-instance' ? CREATE : CREATE_AND_FAIL, parameters };
};

/** The effect of kills on tasks. */
export interface KillVerdict {
  /** Tasks that a kill turned back, and steps that it had started twice and must not have. */
  readonly faults: readonly string[];
  /** How often an action was started again because its process had died. */
  readonly restarts: number;
  /** How often one was not, because it must not be. */
  readonly losses: number;
}

/** Looks at what became of {@link someKillOrder}: kills alone turn no task back. */
export async function judgeKills(
  api: Api,
  { orders, tasks }: Pick<Endured, 'orders' | 'tasks'>,
): Promise<KillVerdict> {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  const faults: string[] = [];
  let [restarts, losses] = [0, 0];
  for (const order of orders) {
    const { flow, taskId = '' } = order;
    const status = byId.get(taskId)?.status ?? 'lost';
    const events = await api.events(taskId);
    const isLost = flow === ONCE && events.some(isAbout('once', 'lease_lost'));
    if (isLost) losses += 1;
    restarts += events.filter(({ kind }) => kind === 'restart_scheduled').length;
    const expected = isLost ? 'rolled_back' : endOf(order);
    if (status !== expected) faults.push(`${flow} ${taskId} is ${status}, not ${expected}`);
    const starts = flow === ONCE ? events.filter(isAbout('once', 'started')).length : 1;
    if (starts !== 1) faults.push(`${flow} ${taskId} was started ${starts} times`);
  }
  return { faults, restarts, losses };
}

function isAbout(step: string, kind: string): (event: EventView) => boolean {
  return (event) => event.step === step && event.kind === kind;
}

/** How the task of an order ends that no kill can harm. */
function endOf(order: Order): string {
  const { flow } = order;
  const isUndone = flow === UNDONE || flow === CREATE_AND_FAIL || !canSucceed(order);
  return isUndone ? 'rolled_back' : 'succeeded';
}
