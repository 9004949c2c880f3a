import { assertNever, type Outcome } from '#core';
import type { PollAnswer, WorkItem, WorkOutcome } from '#engine';
import type { CommandCatalogue } from '#ports';
import type { DeskCheck } from '../checks/desk-check.js';
import { LightAbort } from '../light-abort.js';
import type { SimProcess } from '../sim-process.js';
import type { World } from '../world.js';
import type { WorkerTerms } from './drawn-workers.js';
import { contextOf } from './worker-context.js';
import type { WorkerLink } from './worker-link.js';

/** A claim in the hands of a worker. Times are of the monotonic clock. */
interface Held {
  readonly item: WorkItem;
  readonly abort: LightAbort;
  endsAt: number;
  isConfirmed: boolean;
  isLost: boolean;
}

/** An answer, and how long its gateway waited before it, in milliseconds. */
interface WaitedAnswer extends PollAnswer {
  readonly waitedMs: number;
}

/** The parts of a worker. */
interface WorkerParts {
  readonly process: SimProcess;
  readonly link: WorkerLink;
  readonly catalogue: CommandCatalogue;
  readonly check: DeskCheck;
}

/** How long a call without a wait may take, in milliseconds. */
const PATIENCE_MS = 10_000;

/** How often a poll is repeated whose answer did not come. */
const REPEATS = 3;

/** A program that fetches actions from gateways, carries them out, and tells the outcome. */
export class SimWorker {
  private readonly held = new Map<string, Held>();
  /** Claims that it has seen: a repeated answer begins nothing twice. */
  private readonly seen = new Set<string>();
  private readonly world: World;
  private readonly name: string;
  private freed: (() => void)[] = [];
  private running = 0;
  private polls = 0;
  private isStopping = false;

  constructor(
    private readonly parts: WorkerParts,
    private readonly terms: WorkerTerms,
  ) {
    this.world = parts.process.world;
    this.name = parts.process.owner;
  }

  start(): void {
    void this.serve();
    void this.beat();
  }

  /** SIGTERM: takes nothing more, ends what it has, gives back the rest and says good-bye. */
  async stop(): Promise<void> {
    const { clock } = this.parts.process;
    this.isStopping = true;
    clock.after(this.world.scenario.drainMs, () => {
      for (const { abort } of this.held.values()) abort.abort(new Error('stopping'));
    });
    while (this.held.size > 0) await this.whenFreed();
    const { check, link } = this.parts;
    const ask = check.goodBye(this.name);
    await link.call({ ask, patienceMs: PATIENCE_MS }).then(
      () => this.world.see('worker said good-bye'),
      () => {},
    );
  }

  /** An operator speaks to a gateway about it. */
  drain(isDraining: boolean): Promise<boolean> {
    const { check, link } = this.parts;
    return link.call({ ask: check.drain(this.name, isDraining), patienceMs: PATIENCE_MS });
  }

  private async serve(): Promise<void> {
    const { isGreedy, slots } = this.terms;
    const { clock } = this.parts.process;
    while (!this.isStopping) {
      const free = slots - this.held.size + (isGreedy ? 2 : 0);
      if (free <= 0) {
        await this.whenFreed();
        continue;
      }
      const sentAt = clock.monotonic();
      const answer = await this.poll(free);
      if (answer === null) await clock.sleep(this.world.random.between(10, 1_000));
      for (const item of answer?.items ?? []) this.take(item, sentAt + (answer?.waitedMs ?? 0));
      if (answer?.items.length === 0) await clock.sleep(this.world.random.between(20, 500));
    }
  }

  /** Null: there was no answer. */
  private async poll(max: number): Promise<WaitedAnswer | null> {
    const { check, link, process } = this.parts;
    const { leaseMs, repeats, waitMs } = this.terms;
    this.polls += 1;
    const pollId = repeats ? `${this.name}-${this.polls}` : undefined;
    const order = {
      worker: this.name,
      modules: process.plan.modules,
      max,
      waitMs,
      leaseMs,
      ...(pollId !== undefined && { pollId }),
    };
    const patienceMs = waitMs + PATIENCE_MS;
    for (let call = 0; call < (repeats ? REPEATS : 1); call++) {
      const { ask, unread } = check.poll(order);
      const counted = async (...call: Parameters<typeof ask>): Promise<WaitedAnswer> => {
        const from = this.world.now;
        return { ...(await ask(...call)), waitedMs: this.world.now - from };
      };
      const answer = await link.call({ ask: counted, unread, patienceMs }).catch(() => null);
      if (answer !== null) return answer;
      if (repeats) this.world.see('poll repeated');
    }
    return null;
  }

  /** `from`: since when its times count. */
  private take(item: WorkItem, from: number): void {
    const { taskId, token } = item.claim;
    const key = `${taskId} ${token}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    const endsAt = from + item.leaseMs;
    const rest = { abort: new LightAbort(), isConfirmed: false, isLost: false };
    const held: Held = { item, endsAt, ...rest };
    this.held.set(key, held);
    void this.runInPlace(held).finally(() => {
      this.held.delete(key);
      for (const tell of this.freed.splice(0)) tell();
    });
  }

  private async runInPlace(held: Held): Promise<void> {
    // An action that is more than it has places for waits, without a sign of life.
    while (this.running >= this.terms.slots) await this.whenFreed();
    this.running += 1;
    await this.run(held).finally(() => (this.running -= 1));
  }

  private async run(held: Held): Promise<void> {
    const { catalogue, process } = this.parts;
    const { clock } = process;
    const { item } = held;
    if (item.confirm) {
      while (!held.isConfirmed && !held.isLost && clock.monotonic() < held.endsAt) {
        await this.beatFor([held]);
        if (!held.isConfirmed) await clock.sleep(200);
      }
      if (!held.isConfirmed) return;
    } else if (clock.monotonic() >= held.endsAt || held.isLost) {
      return;
    }
    if (this.world.strikes('givesBack')) {
      this.world.see('worker gave back what it had not begun');
      return this.report(held, { kind: 'release', reason: 'not now' });
    }
    const handler = catalogue.find(item.module, item.command);
    if (handler === undefined) return;
    let left: Promise<void> | null = null;
    const context = contextOf(item, process, held.abort);
    const outcome = await handler.run(context, (ended) => {
      left = ended;
    });
    // An action that it gives back does not run on.
    if (outcome.kind === 'handed_back' && left !== null) await (left as Promise<void>);
    await this.report(held, outcomeOf(outcome));
  }

  /** Repeats an outcome until it is answered, or three leases have passed. */
  private async report({ item }: Held, outcome: WorkOutcome): Promise<void> {
    const { check, link, process } = this.parts;
    const { clock } = process;
    const until = clock.monotonic() + 3 * this.terms.leaseMs;
    for (let calls = 0; clock.monotonic() < until; calls++) {
      const ask = check.report(item.claim, outcome);
      const answer = await link.call({ ask, patienceMs: PATIENCE_MS }).catch(() => null);
      if (answer !== null && (calls > 2 || !this.world.strikes('callTwice'))) return;
      if (answer !== null) this.world.see('outcome repeated by a worker');
      await clock.sleep(this.world.random.between(10, 2_000));
    }
  }

  /** Renews all claims, as often as a third of a lease. */
  private async beat(): Promise<void> {
    const { clock } = this.parts.process;
    for (;;) {
      await clock.sleep(this.terms.leaseMs / 3);
      const all = [...this.held.values()];
      if (all.length > 0 && !this.world.strikes('beatLost')) await this.beatFor(all);
      const now = clock.monotonic();
      for (const { abort, endsAt } of all) if (endsAt <= now) abort.abort(new Error('lease over'));
    }
  }

  private async beatFor(all: readonly Held[]): Promise<void> {
    const { check, link, process } = this.parts;
    const sentAt = process.clock.monotonic();
    const claims = all.map(({ item }) => ({ claim: item.claim }));
    const ask = check.heartbeat(claims);
    const answers = await link.call({ ask, patienceMs: PATIENCE_MS }).catch(() => []);
    for (const [index, answer] of answers.entries()) {
      const held = all[index] as Held;
      if (answer.state === 'held') {
        held.isConfirmed = true;
        held.endsAt = Math.max(held.endsAt, sentAt + answer.leaseMs);
        continue;
      }
      this.world.see(`worker was told: ${answer.state}`);
      held.isLost = true;
      held.abort.abort(new Error(answer.state));
    }
  }

  private whenFreed(): Promise<void> {
    return new Promise((resolve) => this.freed.push(resolve));
  }
}

function outcomeOf(outcome: Outcome): WorkOutcome {
  switch (outcome.kind) {
    case 'succeeded':
      return { kind: 'complete', output: outcome.output };
    case 'failed': {
      const { failure, message, refused, terminal, afterMs } = outcome;
      const rest = { ...(refused && { refused }), ...(afterMs !== undefined && { afterMs }) };
      return { kind: 'fail', failure, message, terminal, ...rest };
    }
    case 'timed_out':
      return { kind: 'fail', message: outcome.message, terminal: false };
    case 'not_finished':
      return { kind: 'again', afterMs: outcome.afterMs };
    case 'completes_later':
      return { kind: 'later', timeoutMs: outcome.timeoutMs };
    case 'handed_back':
      return { kind: 'release', reason: outcome.message };
    default:
      return assertNever(outcome);
  }
}
