import {
  type Dispatch,
  type Direction,
  directionOf,
  type JournalEntry,
  type JsonObject,
  type JsonValue,
  type Task,
  TASK_STATUS,
} from '#core';
import { nextAttempt, placeOf, runIdOf } from '#core/scopes';
import type { CommandContext } from '#ports';
import { clockErrorMs } from '../scenario.js';
import { lifeOf } from '../session-server.js';
import type { Stored, StoreServer } from '../store-server.js';
import { placeOfMessage } from '../message-place.js';
import type { World } from '../world.js';
import { newEntries } from './new-entries.js';
import { type Pair, pairsOf } from './pairs.js';

/** The starts of one action: attempts, without looks at what goes on already. */
export interface Starts {
  readonly attempts: Set<number>;
  readonly tokens: Set<number>;
}

/** One stay of an action in its queue. */
interface Stay {
  readonly since: number;
  sent: number;
}

/** Keeps what commands and publishers did, and looks whether a stored document gave the right. */
export class LedgerCheck {
  /** By task, run and direction. */
  readonly starts = new Map<string, Starts>();
  /** Actions with an attempt that was not refused before its command was entered. */
  readonly entered = new Set<string>();
  private readonly stays = new Map<string, Stay>();
  private readonly allowed = new Map<string, number>();
  /** By task, run and direction: the parameters of its first start. */
  private readonly given = new Map<string, string>();
  private readonly published = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly server: StoreServer,
  ) {}

  /** A command starts: at most once for a token, and only for a stored claim. */
  started(context: CommandContext, owner: string): void {
    const { attempt, cursor, direction, fencingToken: token, run, taskId } = context;
    const key = `${taskId} ${run} ${direction}`;
    this.world.tell(`${owner} starts ${key} attempt ${attempt} t${token}`);
    const starts = this.starts.get(key) ?? { attempts: new Set(), tokens: new Set() };
    this.starts.set(key, starts);
    if (starts.tokens.has(token)) {
      this.world.violate('I3', `${key} was started twice with token ${token}`);
    }
    starts.tokens.add(token);
    starts.attempts.add(attempt);
    const claimed = this.findStored(taskId, (task) => {
      const lease = runIn(task, direction, cursor)?.lease;
      if (lease?.token !== token || lifeOf(lease.owner) !== owner) return false;
      return runIdOf(task, cursor) === run;
    });
    this.lookAtParameters(key, context);
    if (claimed === null) this.world.violate('I3', `${key} was started without a stored claim`);
    else this.lookAtOutputs(key, context, claimed);
  }

  /** Even if parameters change meanwhile, one action is given the same each time. */
  private lookAtParameters(key: string, { parameters, taskId }: CommandContext): void {
    const given = JSON.stringify(parameters);
    // A retry may come with other parameters.
    const isRetried = this.server.tasks.get(taskId)?.journal.entries().some(isRetry) === true;
    const first = isRetried ? given : (this.given.get(key) ?? given);
    this.given.set(key, first);
    if (given !== first) this.world.violate('I24', `${key} was given ${given} after ${first}`);
  }

  /** An output names the run that gave it, which has succeeded and is not undone. */
  private lookAtOutputs(key: string, { parameters }: CommandContext, claimed: Task): void {
    for (const id of runsNamedIn(parameters)) {
      // A child task sees what its parent's steps gave as well.
      const isParents = claimed.plan.parent !== null && !isStepOf(claimed, id);
      if (isParents) continue;
      const place = placeOf(claimed, id);
      const runs = place === null ? undefined : claimed.runs[place];
      if (runs?.normal.state === 'succeeded' && runs.rollback?.state !== 'succeeded') continue;
      this.world.violate('I24', `${key} was given the output of ${id}, which does not stand`);
    }
  }

  /** A command begins its work: it has not refused. */
  begins({ direction, run, taskId }: CommandContext): void {
    this.entered.add(`${taskId} ${run} ${direction}`);
  }

  /** An effect sets in: late where its attempt owns the action no more. */
  acted({ cursor, direction, fencingToken, taskId }: CommandContext): void {
    const task = this.server.tasks.get(taskId);
    const lease = task === undefined ? null : runIn(task, direction, cursor)?.lease;
    if (lease?.token !== fencingToken) this.world.see('late effect of a zombie');
  }

  /**
   * A message goes out: only for what is or was queued, or is in a write that leaves with it, and
   * no oftener than it was queued.
   */
  sent({ message }: Dispatch, publisher: string): void {
    const { attempt, run, taskId, type } = message;
    const direction = directionOf(type);
    this.world.tell(`${publisher} sends ${taskId} ${direction} ${run} attempt ${attempt}`);
    // Child tasks that are missed are made again, and their first messages with them; meanwhile
    // their places may be taken.
    if (this.server.tasks.get(taskId)?.plan.parent && attempt === 1) return;
    const asks = (task: Task): boolean => {
      const place = placeOfMessage(task, message);
      const half = place === null ? null : runIn(task, direction, place);
      return half?.state === 'queued' && nextAttempt(half) === attempt;
    };
    // It leaves with its write, which may get lost. If it does not, the message may leave again.
    const { leaving } = this.server;
    if (leaving?.plan.taskId === taskId && asks(leaving)) return;
    const due = this.findStored(taskId, asks);
    if (due === null) this.world.violate('I11', `${taskId}: sent what no stored document asks for`);
    // One that waits for a limit is sent once more for each time that it is called.
    if (this.world.scenario.limits.some(({ module }) => module === message.module)) return;
    const count = (this.published.get(taskId) ?? 0) + 1;
    this.published.set(taskId, count);
    const allowed = this.allowed.get(taskId) ?? 0;
    if (count > allowed) this.world.violate('I11', `${taskId}: ${count} messages, not ${allowed}`);
  }

  /** A document is stored: each action it queues may be sent once, and repeats must get rarer. */
  stored({ at, task }: Stored, before: Task | null): void {
    const { taskId } = task.plan;
    // A person who resets a task has its queued actions begin their wait from the start.
    const isAsked = before !== null && newEntries(task, before).some(isReset);
    for (const pair of pairsOf(task, before)) {
      if (pair.after.state !== 'queued') continue;
      this.allowed.set(taskId, (this.allowed.get(taskId) ?? 0) + 1);
      const key = `${taskId} ${runIdOf(task, pair.step)} ${pair.direction}`;
      if (isPutOff(pair)) continue;
      const isRepeat =
        pair.before?.state === 'queued' && pair.after.attempts === pair.before.attempts;
      if (isRepeat) this.world.see('dispatched again');
      const stay = isRepeat && !isAsked ? this.stays.get(key) : undefined;
      if (stay === undefined) this.stays.set(key, { since: at, sent: 1 });
      else this.countRepeat(stay, at, key);
    }
    if (before !== null) this.noticeLosses(task, before);
  }

  private countRepeat(stay: Stay, at: number, key: string): void {
    const { isStandalone, timing } = this.world.scenario;
    stay.sent += 1;
    // A process that starts again sends everything again, by itself, at once.
    if (isStandalone) return;
    const elapsed = at - stay.since + 3 * clockErrorMs(this.world.scenario);
    const { redispatchAfterMs: first, redispatchMaxMs: most } = timing;
    const bound = 3 + Math.log2(1 + elapsed / first) + elapsed / most;
    if (stay.sent > bound) this.world.violate('I11', `${key} was sent ${stay.sent} times`);
  }

  private noticeLosses(task: Task, before: Task): void {
    const added = newEntries(task, before);
    if (added.filter(isOutcome).length > 2) this.world.see('outcomes folded into one commit');
    for (const { kind } of added) {
      if (kind === 'lease_lost') this.world.see('lease lost');
      if (kind === 'handed_back') this.world.see('handed back');
      if (kind === 'timed_out') this.world.see('timed out');
      if (kind === 'task_rollback_failed') this.world.see('rollback failed');
      if (kind === 'retry_requested') this.world.see('failed rollback resumed by a person');
      if (kind === 'skip_requested') this.world.see(whenSkipped(before));
      if (kind === 'reset_requested') this.world.see(`task ${whenReset(before)} reset by a person`);
      if (kind === 'forward_again') this.world.see('new runs after a reset');
    }
  }

  private findStored(taskId: string, holds: (task: Task) => boolean): Task | null {
    const all = this.server.history.get(taskId) ?? [];
    return all.findLast(({ task }) => holds(task))?.task ?? null;
  }
}

/** Whether its message waits in a long queue, so that it is not sent again. */
function isPutOff({ after, before }: Pair): boolean {
  if (before?.state !== 'queued' || before.attempts !== after.attempts) return false;
  return before.dispatches === after.dispatches && (before.dueAt ?? 0) < (after.dueAt ?? 0);
}

/** Whether an attempt of a step ended in its process. */
function isOutcome({ direction, kind }: JournalEntry): boolean {
  return direction === 'normal' && (kind === 'succeeded' || kind === 'failed');
}

function isReset({ kind }: JournalEntry): boolean {
  return kind === 'reset_requested';
}

function isRetry({ kind }: JournalEntry): boolean {
  return kind === 'retry_requested';
}

/** The runs whose outputs are in parameters: each gave its id under the name of its step. */
function* runsNamedIn(parameters: JsonObject): Iterable<string> {
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === 'string') {
      const own = value.split('/').at(-1)?.split('~', 1)[0];
      if (name === own) yield value;
    } else if (isJsonObject(value)) {
      yield* runsNamedIn(value);
    }
  }
}

/** Whether a run can be one of the task's own steps, or of the steps in them. */
function isStepOf({ plan }: Task, id: string): boolean {
  return plan.steps.some(({ name }) => name === id.split(/[~#]/, 1)[0]);
}

function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function whenReset({ outcome }: Task): string {
  return outcome === null ? 'under way' : outcome.replace('_', ' ');
}

function whenSkipped({ status }: Task): string {
  const isBack = status === TASK_STATUS.rollback_failed;
  return `${isBack ? 'failed rollback' : 'step that was not started'} skipped by a person`;
}

function runIn(task: Task, direction: Direction, step: number) {
  const runs = task.runs[step];
  return direction === 'normal' ? runs?.normal : runs?.rollback;
}
