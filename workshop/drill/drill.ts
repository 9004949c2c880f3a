import type { FlowDefinition } from '#core';
import type { HeldResidue } from '#executor';
import { abortable, SystemClock, SystemEntropy } from '#machine';
import { formatDuration } from '#wording';
import {
  type Fault,
  type Played,
  type PlayedRun,
  type Scenario,
  type Trials,
  tryEverything,
  type Verdict,
} from '#workshop/rehearsal';
import type { HttpApi, JsonObject } from '../../schemas/http-api.js';
import { FamilyAnswers, type FamilyMember, familyOf } from './family.js';
import {
  allSteps,
  type DrilledStep,
  type DrilledTask,
  type DrillGateway,
  type Sight,
} from './gateway.js';
import { DrillOutsiders } from './outsiders.js';
import { DrillFailed, Stage, type StageOptions } from './stage.js';

/** The flow to drill, its scenario, and the stage to drill it on. */
interface DrillOptions {
  readonly definition: FlowDefinition;
  readonly scenario: Scenario;
  readonly stage: StageOptions;
  /** Gives the requests to the gateway at a URL; they end with the signal. */
  readonly connect: (url: string, signal: AbortSignal) => DrillGateway;
  /**
   * A play is stuck if it has not settled this long after the last start of its process, in
   * milliseconds.
   */
  readonly restMs: number;
  /** Ends the drill. */
  readonly signal: AbortSignal;
  /** Called with each play when it begins. */
  readonly onPlay: (faults: readonly Fault[]) => void;
}

/** Real commands have no half of an effect that could be waited for. */
const WHERES = ['before', 'after'] as const;

/** Most starts of one play: each attempt of a step may crash, and each crash needs one. */
const STARTS_MAX = 50;

const NUMBERED = /#\d+\//g;

/** A task as it was seen, and the part before the ids of its runs. */
interface PlacedSight extends Sight {
  readonly path: string;
}

/** A resource that a module still holds, and the task it is held for. */
export interface Left extends HeldResidue {
  readonly taskId: string;
}

/** A task as a play left it. */
interface Rested {
  readonly task: DrilledTask;
  /** Null: it has settled; else why that is not known. */
  readonly unrest: string | null;
  /** A child task that waits for a person, so that its parent does; null: none does. */
  readonly held: DrilledTask | null;
  /** Status of each task that did some of its work, itself included, by id. */
  readonly statuses: ReadonlyMap<string, string>;
  /** The tasks among these that are known in full. */
  readonly tasks: readonly Pick<DrilledTask, 'steps' | 'taskId'>[];
  readonly left: readonly Left[];
}

const HELD: ReadonlySet<string> = new Set(['on_hold', 'paused']);

/** Tries a flow with real executors in every way, in a Backstep of its own. */
export async function drill(options: DrillOptions): Promise<Trials<Left>> {
  const plays = new DrillPlays(options);
  try {
    return await tryEverything({ wheres: WHERES, play: (faults) => plays.play(faults) });
  } finally {
    await plays.close();
  }
}

/** One life of a process, as the drill takes part in it. */
interface Following {
  readonly gateway: DrillGateway;
  /** Idempotency key of the task. */
  readonly key: string;
  readonly outsiders: DrillOutsiders;
}

/** How a task was last seen, and why it is not known to rest. */
interface Seen extends Sight {
  readonly unrest: string | null;
  /** A child task that waits for a person; null: none is known. */
  readonly held: DrilledTask | null;
}

class DrillPlays {
  readonly #clock = new SystemClock();
  readonly #entropy = new SystemEntropy();
  #stage: Stage | null = null;

  constructor(private readonly options: DrillOptions) {}

  async play(faults: readonly Fault[]): Promise<Played<Left>> {
    const { connect, definition, onPlay, signal } = this.options;
    signal.throwIfAborted();
    onPlay(faults);
    const stage = (this.#stage ??= await Stage.open(this.options.stage));
    await stage.arm(definition.name, faults);
    const startedAt = this.#clock.monotonic();
    const seen = await this.#playOut(stage, faults);
    const { held, task, unrest } = seen;
    const tookMs = Math.round(this.#clock.monotonic() - startedAt);
    const gateway = connect(stage.url, signal);
    const family = await familyOf(gateway, task);
    const statuses = new Map(family.map(({ status, taskId }) => [taskId, status]));
    const left = await leftBy(stage, [...statuses.keys()]);
    const sights = await sightsOf(gateway, seen, family);
    const tasks = sights.map((sight) => sight.task);
    const verdict = judgeDrill({ held, left, statuses, task, tasks, unrest });
    // The next play begins with nothing that this one has left or still does.
    if (left.length > 0 || verdict.result !== 'clean') await this.close();
    return { verdict, started: sights.flatMap(startedRuns), tookMs };
  }

  async close(): Promise<void> {
    const stage = this.#stage;
    this.#stage = null;
    await stage?.close();
  }

  /** Over all crashes: whatever process there is follows the same task. */
  async #playOut(stage: Stage, faults: readonly Fault[]): Promise<Seen> {
    const { scenario } = this.options;
    const key = this.#entropy.newId();
    const outsiders = new DrillOutsiders({ scenario, faults });
    for (let starts = 1; starts <= STARTS_MAX; starts += 1) {
      const seen = await this.#live(stage, key, outsiders);
      if (seen !== null) return seen;
      await stage.startAgain();
    }
    const sentence = `the task had its process crash ${STARTS_MAX} times`;
    throw new DrillFailed(sentence);
  }

  /** One life of the process; null: it ended before the task settled. */
  async #live(stage: Stage, key: string, outsiders: DrillOutsiders): Promise<Seen | null> {
    const life = new AbortController();
    const { connect, restMs, signal } = this.options;
    const stop = (): void => life.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    let isLate = false;
    const timer = this.#clock.after(restMs, () => {
      isLate = true;
      life.abort();
    });
    const gateway = connect(stage.url, life.signal);
    stage.onAwaited = (awaited) => void outsiders.complete(gateway, awaited);
    const ended = stage.ended.then(() => null);
    try {
      return await Promise.race([this.#follow(stage, { gateway, key, outsiders }), ended]);
    } catch (error) {
      signal.throwIfAborted();
      if (isLate) {
        const unrest = `it did not come to rest within ${formatDuration(restMs)}`;
        return { ...(await this.#asItIs(stage, key)), held: null, unrest };
      }
      // Nobody answers where the process has just ended.
      if (gateway.isUnreachable(error)) return await abortable(ended, life.signal);
      throw error;
    } finally {
      stage.onMoved = () => {};
      timer.cancel();
      signal.removeEventListener('abort', stop);
      life.abort();
    }
  }

  async #follow(stage: Stage, { gateway, key, outsiders }: Following): Promise<Seen> {
    const { taskId } = await gateway.createTask(this.#order, key);
    const family = new FamilyAnswers(gateway, outsiders);
    stage.onMoved = () => void family.answer(taskId);
    void family.answer(taskId);
    void outsiders.completeLeft(gateway);
    const followed = gateway.followTask(taskId, (task) => {
      void outsiders.answer(gateway, { task, path: '' });
    });
    const held = family.held.then(async (child): Promise<Seen> => {
      return { ...(await this.#asItIs(stage, key)), held: child, unrest: null };
    });
    const rested = followed.then((sight): Seen => ({ ...sight, held: null, unrest: null }));
    return Promise.race([rested, held]);
  }

  /** Ordered again under the same key, it is answered with the task that there is. */
  get #order(): HttpApi['CreateTask'] {
    const { definition, scenario } = this.options;
    const { labels, parameters } = scenario;
    return { flow: definition.name, parameters: parameters as JsonObject, labels };
  }

  async #asItIs(stage: Stage, key: string): Promise<Sight> {
    const gateway = this.options.connect(stage.url, this.options.signal);
    const { taskId } = await gateway.createTask(this.#order, key);
    const [task, events] = await Promise.all([gateway.getTask(taskId), gateway.events(taskId)]);
    return { task, events };
  }
}

/** The tasks of a family that a drill can have go wrong, each as it is now. */
async function sightsOf(
  gateway: DrillGateway,
  root: Sight,
  family: readonly FamilyMember[],
): Promise<readonly PlacedSight[]> {
  const sights: PlacedSight[] = [{ ...root, path: '' }];
  for (const { path, taskId } of family.slice(1)) {
    if (path === null) continue;
    const [task, events] = await Promise.all([gateway.getTask(taskId), gateway.events(taskId)]);
    sights.push({ task, events, path });
  }
  return sights;
}

async function leftBy(stage: Stage, taskIds: readonly string[]): Promise<readonly Left[]> {
  const left: Left[] = [];
  for (const taskId of taskIds) {
    for (const one of await stage.residueOf(taskId)) left.push({ ...one, taskId });
  }
  return left;
}

/**
 * The runs of a task that were started and that a drill can have go wrong, in the order in which
 * they were. Its events tell of those too that the task shows no more, such as of a try before.
 */
function startedRuns({ events, path, task }: PlacedSight): readonly PlayedRun[] {
  const steps = allSteps(task.steps);
  const byPath = new Map(steps.map((step) => [pathOf(step.id), step]));
  const runs = new Map<string, PlayedRun>();
  for (const event of events.filter(({ kind }) => kind === 'started')) {
    const run = event.run ?? event.step ?? '';
    const step = byPath.get(pathOf(run));
    const isUndo = event.direction === 'rollback';
    if (step === undefined || (step.normal === undefined && !isUndo)) continue;
    const direction = isUndo ? 'rollback' : 'normal';
    runs.set(`${direction} ${run}`, { ...playedRun(`${path}${run}`, step), direction });
  }
  for (const step of steps) {
    if (step.kind !== 'approve' || step.state === 'pending') continue;
    runs.set(step.id, playedRun(`${path}${step.id}`, step));
  }
  return [...runs.values()];
}

function pathOf(run: string): string {
  return run.replaceAll(NUMBERED, '#*/').replace(/~\d+$/, '');
}

function playedRun(run: string, { name, normal, rollback }: DrilledStep): PlayedRun {
  const isCommand = normal !== undefined;
  return {
    run,
    step: name,
    direction: 'normal',
    isCommand,
    silences: isCommand ? [] : ['error'],
    undoHows: howsOf(rollback),
  };
}

/** Nothing gets over a rollback that hangs for as long as all of its attempts may take. */
function howsOf(rollback: DrilledStep['rollback']): PlayedRun['undoHows'] {
  if (!rollback) return [];
  const isBounded = rollback.attemptTimeout !== undefined;
  return isBounded ? ['error', 'time-out', 'crash'] : ['error', 'crash'];
}

/** Judges a play by its task and by what the modules say. */
export function judgeDrill(rested: Rested): Verdict<Left> {
  const { held, left, task, unrest } = rested;
  const { status } = task;
  const residue = left.filter((one) => isUnwanted(one, rested));
  const waiting = held ?? task;
  const why = waiting.taskMessage;
  if (waiting.status === 'rollback_failed') return { result: 'stuck', status, why, residue };
  if (HELD.has(waiting.status)) return { result: 'held', status, why, residue };
  if (unrest !== null) return { result: 'stuck', status, why: unrest, residue };
  if (residue.length === 0) return { result: 'clean', status, why, residue };
  return { result: 'residue', status, why: residue.map(sentence).join('; '), residue };
}

/** Resources of a task that succeeded are wanted, unless their step failed or was undone. */
function isUnwanted({ run, taskId }: Left, { statuses, task, tasks }: Rested): boolean {
  if (task.status !== 'succeeded' || statuses.get(taskId) !== 'succeeded') return true;
  if (run === undefined) return false;
  const own = tasks.find((one) => one.taskId === taskId);
  const step = allSteps(own?.steps ?? []).find(({ id }) => id === run);
  if (step === undefined) return false;
  return step.state !== 'succeeded' || (step.rollback?.state ?? 'none') !== 'none';
}

function sentence({ module, run, what }: Left): string {
  return `${module} holds ${what}${run === undefined ? '' : ` of ${run}`}`;
}
