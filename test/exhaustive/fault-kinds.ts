import { isFinal } from '#core';
import type { Course } from '../simulation/course.js';
import type { History } from '../simulation/history.js';
import type { Faults } from '../simulation/scenario.js';
import type { Operation } from '../simulation/script.js';
import type { SimProcess } from '../simulation/sim-process.js';
import { FREEZE_MS } from './circumstances.js';

/** The operation at which a fault is to happen. */
export interface Spot {
  readonly operation: Operation;
  readonly process: SimProcess;
  readonly history: History;
}

/** One way in which an operation can go wrong. */
export interface FaultKind {
  /** The operations it can strike; all of them where this is left out. */
  readonly at?: readonly Operation[];
  /** Whether it would change anything now. */
  readonly can?: (spot: Spot) => boolean;
  /** A side effect of the fault, beside the operation. */
  readonly act?: (spot: Spot) => void;
  /** The question of the simulated ports that is answered with yes. */
  readonly says?: keyof Faults;
  /** The wait that follows is as long as waits get. */
  readonly isLong?: boolean;
  /** How the attempt goes that starts here. */
  readonly course?: Partial<Course>;
}

/**
 * Where a process may die and leave something else behind than at the operation before or after.
 */
const MORTAL: readonly Operation[] = [
  'claimKey',
  'insert',
  'commit',
  'get',
  'findDue',
  'landed',
  'publish',
  'delivery',
  'answer',
  'start',
  'effect',
  'end',
  'renewSession',
  'endSession',
  'findHeld',
];
const WRITES: readonly Operation[] = ['claimKey', 'insert', 'commit', 'renewSession', 'endSession'];
const CALLS: readonly Operation[] = [...WRITES, 'get', 'findDue', 'findHeld'];
/**
 * No task and no message is nearer to anything at one of these than at the operations around it.
 */
const ASIDE: ReadonlySet<Operation> = new Set([
  'leave',
  'openSession',
  'renewSession',
  'endSession',
  'closeSession',
  'listSessions',
  'forgetSession',
  'findHeld',
  'readRevisions',
]);

/** Everything that can go wrong with one operation. */
export const FAULT_KINDS = {
  crash: { at: MORTAL, act: ({ process }) => process.kill('crashed') },
  zombie: {
    at: [...CALLS, 'publish', 'start', 'effect'],
    act: ({ process }) => process.freeze(FREEZE_MS),
  },
  'store-before': { at: CALLS, says: 'storeFailsBefore' },
  'store-after': { at: WRITES, says: 'storeFailsAfter' },
  'store-late': { at: WRITES, says: 'storeLate', isLong: true },
  'store-slow': { at: ['insert', 'commit', 'get'], says: 'storeSlow', isLong: true },
  'left-early': { at: ['leave'], says: 'leavesAlone' },
  'stale-read': { at: ['read'], says: 'staleRead', can: hasOlder },
  'publish-lost': { at: ['publish'], says: 'publishLost' },
  'publish-refused': { at: ['publish'], says: 'publishRefused' },
  'publish-unclear': { at: ['publish'], says: 'publishUnclear' },
  'publish-doubled': { at: ['publish'], says: 'publishTwice' },
  'publish-delayed': { at: ['publish'], says: 'messageDelayed', isLong: true },
  'ack-lost': { at: ['answer'], says: 'ackLost' },
  redelivered: {
    can: ({ history }) => history.cluster.broker.isHolding('hands'),
    act: ({ history }) => history.cluster.broker.resend(),
  },
  wiped: {
    can: ({ history }) => history.cluster.broker.isHolding('anything'),
    act: ({ history }) => history.cluster.broker.wipe(),
  },
  fails: { at: ['start'], course: { end: 'fails' } },
  'fails-at-once': { at: ['start'], course: { end: 'fails', hasEffect: false } },
  'gives-up': { at: ['start'], course: { end: 'gives_up' } },
  refuses: { at: ['start'], course: { end: 'refuses' } },
  hangs: { at: ['start'], course: { afterMs: 60_000, isDeaf: true } },
  'effect-late': { at: ['start'], course: { effectMs: 3 * FREEZE_MS, isDeaf: true } },
  'looks-again': { at: ['start'], course: { end: 'looks_again' } },
  'rolled-back': { can: isGoing, act: (spot) => ask(spot, 'rollback_requested') },
  terminated: { can: isGoing, act: (spot) => ask(spot, 'terminate_requested') },
} as const satisfies Readonly<Record<string, FaultKind>>;

export type FaultName = keyof typeof FAULT_KINDS;

const ENTRIES = Object.entries(FAULT_KINDS) as readonly (readonly [FaultName, FaultKind])[];

/** The faults that can happen to an operation, as things are. */
export function possibleFaults(spot: Spot): readonly FaultName[] {
  return ENTRIES.filter(
    ([, { at, can }]) => isPlaceOf(at, spot.operation) && can?.(spot) !== false,
  ).map(([name]) => name);
}

function isPlaceOf(at: FaultKind['at'], operation: Operation): boolean {
  return at === undefined ? !ASIDE.has(operation) : at.includes(operation);
}

/** Whether a reader could be given an older document than the newest. */
function hasOlder({ history, process }: Spot): boolean {
  for (const [taskId, stored] of history.cluster.server.history) {
    const older = stored.at(-2);
    if (older !== undefined && older.task.revision >= (process.seen.get(taskId) ?? 0)) return true;
  }
  return false;
}

function isGoing({ history }: Spot): boolean {
  return [...history.cluster.server.tasks.values()].some(({ status }) => !isFinal(status));
}

function ask({ history }: Spot, kind: 'rollback_requested' | 'terminate_requested'): void {
  for (const task of history.cluster.server.tasks.values()) void history.persons.act(task, kind);
}
