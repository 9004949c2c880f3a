import { untilAllEnded } from '../ledger/index.js';
import { Api } from '../load/index.js';
import type { Deployment } from '../stack/index.js';
import { WIDE, WIDE_FAILING } from './flows.js';
import { type Expected, wideFaults } from './judge-wide.js';
import { noticesOf } from './notices.js';

/** Wide tasks that run at one time. */
export interface WideRound {
  readonly tasks: number;
  /** Steps of each. */
  readonly steps: number;
  /** Whether their last step fails, so that all is undone. */
  readonly isFailing: boolean;
  /** How long they may take to end, in milliseconds. */
  readonly withinMs: number;
}

/** The figures of a round. */
export interface WideFigures {
  readonly round: WideRound;
  readonly seconds: number;
  /** Actions that ended in a second, ways back included. */
  readonly actionsPerSecond: number;
  /** Everything that is not as it should be. */
  readonly faults: readonly string[];
  /** The notices of the processes meanwhile: how often each occurred, by name. */
  readonly notices: Readonly<Record<string, number>>;
}

/** One wide task, and four at a time; each kind with a good end and with a way back. */
export function wideRounds(common: Pick<WideRound, 'steps' | 'withinMs'>): readonly WideRound[] {
  return [1, 4].flatMap((tasks) =>
    [false, true].map((isFailing) => ({ ...common, tasks, isFailing })),
  );
}

/** Runs a round to the end of its last task and looks at what is left of all. */
export async function playWide(backstep: Deployment, round: WideRound): Promise<WideFigures> {
  const { isFailing, steps, tasks, withinMs } = round;
  const api = new Api(backstep.url);
  const before = await noticesOf(backstep);
  const started = performance.now();
  const flow = isFailing ? WIDE_FAILING : WIDE;
  const ids = await Promise.all(Array.from({ length: tasks }, () => api.create(flow)));
  const late = await untilAllEnded(api, { withinMs }).then(
    () => [],
    (error: unknown) => [(error as Error).message],
  );
  const seconds = (performance.now() - started) / 1_000;
  const after = await noticesOf(backstep);
  const expected: Expected = isFailing
    ? { status: 'rolled_back', effects: steps - 1 }
    : { status: 'succeeded', effects: steps };
  const faults = await Promise.all(ids.map((id) => wideFaults(backstep, id, expected)));
  const actions = tasks * (isFailing ? 2 * steps - 1 : steps);
  return {
    round,
    seconds,
    actionsPerSecond: actions / seconds,
    faults: [...late, ...faults.flat()],
    notices: difference(before, after),
  };
}

/** The figures as text, for people; what is not as it should be comes first. */
export function wideText({ actionsPerSecond, faults, notices, round, seconds }: WideFigures) {
  const { isFailing, steps, tasks } = round;
  const what = `${tasks} x ${steps} steps${isFailing ? ', undone' : ''}`;
  const pace = `${seconds.toFixed(1)} s, ${Math.round(actionsPerSecond)} actions/s`;
  const more = faults.length > FAULTS_MAX ? [`and ${faults.length - FAULTS_MAX} more`] : [];
  const line = `${what}: ${pace}, faults ${faults.length}, noticed ${JSON.stringify(notices)}`;
  return [...faults.slice(0, FAULTS_MAX), ...more, line].join('\n');
}

const FAULTS_MAX = 20;

type Counts = WideFigures['notices'];

function difference(before: Counts, after: Counts): Counts {
  const changed = Object.entries(after).map(([name, count]) => {
    return [name, count - (before[name] ?? 0)] as const;
  });
  return Object.fromEntries(changed.filter(([, count]) => count > 0));
}
