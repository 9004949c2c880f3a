import type { AlertReceiver } from '../alerts/receiver.js';
import { hasEnded, isAt, untilTask } from '../ledger/index.js';
import {
  type Api,
  FAILS_LAST,
  type Load,
  type NextOrder,
  someInstance,
  type TaskView,
} from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import type { AppProcess } from '../stack/index.js';

const WITHIN_MS = 60_000;
/** Tasks on which a person acts. */
const ACTED_ON = 4;

/** The parts that a scene needs. */
export interface Stage {
  readonly api: Api;
  readonly load: Load;
  readonly victim: AppProcess;
  readonly receiver: AlertReceiver;
}

/** A load under which a crash point is reached. */
export interface Scene {
  readonly next: NextOrder;
  /** Leads to the crash, beside the load. Resolves, at the latest, after the restart. */
  provoke?(stage: Stage): Promise<void>;
  /** Acts as people would afterwards; without that the tasks would not end. */
  mend?(stage: Stage): Promise<void>;
}

export type SceneName =
  | 'instances'
  | 'side by side'
  | 'failing'
  | 'looks'
  | 'alerts'
  | 'actions'
  | 'drain'
  | 'reported';

/** Flows of the practice module for crash points. */
export const SCENE_FLOWS = {
  /** Waits twice, for longer than governance's interval: only its rounds can wake it. */
  'lab-looks': [
    {
      name: 'before',
      normal: { module: 'lab', command: 'effect', retry: 20, parameters: { name: 'before' } },
      rollback: { module: 'lab', command: 'undo_effect', parameters: { name: 'before' } },
    },
    {
      name: 'look',
      normal: {
        module: 'lab',
        command: 'again',
        retry: 20,
        parameters: { times: 2, delay: '800ms' },
      },
    },
  ],
  /** Ends rolled back, which its failure flow tells. */
  'lab-reported': {
    failureFlow: 'lab-tells',
    steps: [
      {
        name: 'before',
        normal: { module: 'lab', command: 'effect', retry: 20, parameters: { name: 'before' } },
        rollback: {
          module: 'lab',
          command: 'undo_effect',
          retry: 20,
          parameters: { name: 'before' },
        },
      },
      {
        name: 'fail',
        normal: {
          module: 'lab',
          command: 'fail',
          parameters: { kind: 'terminal', message: 'told to' },
        },
      },
    ],
  },
  'lab-tells': [
    {
      name: 'tell',
      normal: { module: 'lab', command: 'effect', retry: 20, parameters: { name: 'tell' } },
    },
  ],
  /** Two actions are open at once, so that no message carries the task: it is read. */
  'lab-side-by-side': ['left', 'right'].map((name) => ({
    name,
    needs: [],
    normal: { module: 'lab', command: 'effect', retry: 20, parameters: { name } },
    rollback: { module: 'lab', command: 'undo_effect', parameters: { name } },
  })),
};

const practice =
  (flow: string): NextOrder =>
  () => ({ flow, parameters: {} });

/** All loads, by name. */
export const SCENES: Readonly<Record<SceneName, Scene>> = {
  instances: { next: someInstance },
  'side by side': { next: practice('lab-side-by-side') },
  failing: {
    next: (random) => ({
      flow: FAILS_LAST,
      parameters: { cpu: random.between(1, 8), memory: random.between(1, 64), storage: 10 },
    }),
  },
  looks: { next: practice('lab-looks') },
  alerts: { next: practice('lab-stuck-once'), mend: retryFailedRollbacks },
  actions: { next: practice('lab-long'), provoke: rollBackAll },
  drain: { next: practice('lab-sleep-effect'), provoke: stopAtWork },
  reported: { next: practice('lab-reported'), mend: untilReported },
};

/** A person asks for the rollback of everything, again and again until each has an answer. */
async function rollBackAll({ api, load }: Stage): Promise<void> {
  await waitUntil(
    async () => {
      if (acceptedIn(load).length < ACTED_ON) throw new Error('too few');
    },
    { what: 'nothing to act on', deadlineMs: WITHIN_MS },
  );
  await load.finish();
  const acts = acceptedIn(load).map((taskId) => actUntilAnswered(api, taskId, 'rollback'));
  await Promise.all(acts);
}

/** Tells a process to stop while it runs a command. */
async function stopAtWork({ api, load, victim }: Stage): Promise<void> {
  await waitUntil(
    async () => {
      const tasks = await Promise.all(acceptedIn(load).map((taskId) => api.task(taskId)));
      if (!tasks.some(isAt('sleep'))) throw new Error(`none of ${tasks.length} tasks sleeps`);
    },
    { what: 'there is no work to stop in', deadlineMs: WITHIN_MS },
  );
  // Tasks accepted from now on would only prolong the wait.
  void load.finish();
  process.kill(victim.pid!, 'SIGTERM');
}

/** Every task has had its failure flow started. */
async function untilReported({ api, load }: Stage): Promise<void> {
  const isReported = (task: TaskView): boolean => (task.failureFlow?.taskId ?? null) !== null;
  await Promise.all(acceptedIn(load).map((taskId) => untilTask(api, taskId, isReported)));
}

/** The on-call acts on what it was told, and only on that. */
async function retryFailedRollbacks({ api, load, receiver }: Stage): Promise<void> {
  const mended = load.orders.map(async ({ taskId = '' }) => {
    let task = await api.task(taskId);
    const standsStill = async (): Promise<void> => {
      task = await api.task(taskId);
      if (!hasEnded(task) && !isTold(task, receiver)) throw new Error(JSON.stringify(task));
    };
    const wait = { what: `nobody was told of task ${taskId}`, deadlineMs: 2 * WITHIN_MS };
    await waitUntil(standsStill, wait);
    if (!hasEnded(task)) await actUntilAnswered(api, taskId, 'retry');
  });
  await Promise.all(mended);
}

function isTold({ status, taskId }: TaskView, receiver: AlertReceiver): boolean {
  return status === 'rollback_failed' && receiver.about(taskId).some(({ genuine }) => genuine);
}

function acceptedIn({ orders }: Load): readonly string[] {
  return orders.flatMap(({ taskId }) => taskId ?? []);
}

/** Repeats an action by its key, as one does who was given no answer. */
function actUntilAnswered(api: Api, taskId: string, verb: string): Promise<void> {
  const headers = { 'idempotency-key': `${verb}-${taskId}` };
  const ask = { path: `/v1/tasks/${taskId}:${verb}`, body: { reason: 'a crash test' }, headers };
  const answered = async (): Promise<void> => {
    const { body, status } = await api.ask(ask);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  };
  return waitUntil(answered, { what: `${verb} of ${taskId}`, deadlineMs: 2 * WITHIN_MS });
}
