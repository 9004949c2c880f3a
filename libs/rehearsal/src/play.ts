import {
  type ActionRef,
  actionOf,
  type Answer,
  createTask,
  DEFAULT_TIMING,
  type Direction,
  invariant,
  type Moved,
  type QueuedAction,
  questionOf,
  runIdOf,
  runOf,
  type Scene,
  stepAt,
  type StepPlan,
  type Task,
  type TaskEvent,
  transition,
  wantsAction,
} from '#core';
import type { Evaluator } from '#ports';
import { Agenda } from './agenda.js';
import { Double, type DoubleOptions, type Performed } from './double.js';
import { type Effect, Effects } from './effects.js';
import { Lacks } from './lacks.js';
import { Outsiders, type Started } from './outsiders.js';
import type { RehearsedFlow } from './scenario.js';

/** When every play begins, in milliseconds since 1970: the same play has the same times. */
const START = Date.UTC(2030, 0, 1);
/** Changes of one task; only a flow that never ends has more. */
const CHANGES_MAX = 50_000;
const TIMED_OUT = 'the time of this attempt is over';

/** What a play needs besides its flow. */
export interface PlayOptions extends Omit<DoubleOptions, 'scenario'> {
  readonly evaluator: Evaluator;
}

/** A task that has come to rest. */
export interface Ended {
  readonly task: Task;
  readonly effects: readonly Effect[];
  /** In the order in which they began. */
  readonly started: readonly Started[];
  /** Virtual time that it took, in milliseconds. */
  readonly tookMs: number;
}

interface Held {
  readonly ref: ActionRef;
  readonly token: number;
}

/**
 * One task from its start until it rests: the core decides, doubles run the commands, and time is
 * what the next thing to happen says.
 */
export class Play {
  #now = START;
  #changes = 0;
  #task: Task;
  readonly #agenda = new Agenda();
  readonly #effects = new Effects();
  readonly #double: Double;
  readonly #outsiders: Outsiders;
  readonly #held = new Map<number, Held>();
  readonly #ended = new Set<string>();
  readonly #started = new Map<string, Started>();
  readonly #lacks: Lacks;
  /** What rollbacks lack, by the ids of their runs. */
  readonly #lacking = new Map<string, string>();
  readonly #first: Moved;

  constructor(
    { definition, scenario }: RehearsedFlow,
    private readonly options: PlayOptions,
  ) {
    this.#lacks = new Lacks({ definition, scenario });
    this.#double = new Double(this.#effects, { ...options, scenario });
    const { labels, parameters } = scenario;
    const made = { taskId: 'rehearsal', moment: this.#moment() };
    this.#first = createTask({ definition, version: 1 }, { parameters, labels }, made);
    this.#task = this.#first.task;
    this.#outsiders = new Outsiders({ scenario, faults: options.faults, startedAt: START });
  }

  /** Plays until nothing moves by itself. Throws where that never comes. */
  async run(): Promise<Ended> {
    for (const { at, event } of this.#outsiders.signals()) this.#expect(at, event);
    await this.#follow(this.#first);
    while (await this.#goOn());
    const tookMs = this.#now - START;
    const started = [...this.#started.values(), ...this.#outsiders.asked.values()];
    return { task: this.#task, effects: this.#effects.standing(), started, tookMs };
  }

  async #goOn(): Promise<boolean> {
    const { hold, outcome, wakeAt } = this.#task;
    const isCalled = hold?.why === 'rollback_failed';
    if ((outcome !== null || isCalled) && !this.#agenda.isBusy) return false;
    const { nextAt } = this.#agenda;
    if (nextAt !== null && (isCalled || wakeAt === null || nextAt <= wakeAt)) {
      const next = this.#agenda.take();
      this.#now = Math.max(this.#now, nextAt);
      await next?.happen();
      return true;
    }
    if (wakeAt === null) return false;
    this.#now = Math.max(this.#now + 1, wakeAt);
    await this.#apply({ kind: 'tick', crowded: new Map(), ended: this.#ended });
    return true;
  }

  #moment() {
    return { now: this.#now, chance: 0.5, timing: DEFAULT_TIMING };
  }

  async #apply(event: TaskEvent): Promise<void> {
    invariant(this.#changes++ < CHANGES_MAX, 'the flow comes to no end');
    const decision = transition(this.#task, event, { moment: this.#moment() });
    if (decision.kind !== 'moved') return;
    this.#task = decision.task;
    this.#effects.follow(decision.task);
    await this.#follow(decision);
  }

  async #follow({ asked, queued }: Moved): Promise<void> {
    for (const held of this.#held.values()) this.#callOff(held);
    for (const { at, event } of this.#outsiders.answersFor(this.#task, this.#now)) {
      this.#expect(at, event);
    }
    for (const ref of asked) await this.#answer(ref);
    for (const action of queued) await this.#start(action);
  }

  #expect(at: number, event: TaskEvent): void {
    this.#agenda.add({ at, isOutside: true, happen: () => this.#apply(event) });
  }

  async #answer(ref: ActionRef): Promise<void> {
    const question = questionOf(this.#task, ref);
    if (question === null) return;
    const { id, members, scene } = question;
    const answer = await this.options.evaluator.answer({ members, scene });
    if (ref.direction === 'rollback') this.#look(ref, scene, answer);
    await this.#apply({ kind: 'answered', ...ref, question: id, answer });
  }

  /** Whether a rollback was given what its flow promises it. */
  #look(ref: ActionRef, scene: Scene, answer: Answer): void {
    if (!('values' in answer)) return;
    const lack = this.#lacks.of(this.#task, ref, { scene, given: answer.values['parameters'] });
    if (lack !== null) this.#lacking.set(runIdOf(this.#task, ref.step), lack);
  }

  async #start({ attempt, ref }: QueuedAction): Promise<void> {
    // That a person is called is the end of a play.
    if (ref.direction === 'alert') return;
    const before = this.#task.token;
    const owner = `executor ${before + 1}`;
    await this.#apply({ kind: 'claimed', ...ref, attempt, owner });
    const token = runOf(this.#task, ref)?.lease?.token;
    if (token === undefined || token === before) return;
    const run = runIdOf(this.#task, ref.step);
    this.#note(ref.direction, run, stepAt(this.#task, ref.step));
    const lack = ref.direction === 'rollback' ? (this.#lacking.get(run) ?? null) : null;
    this.#held.set(token, { ref, token });
    this.#report({ ref, token }, this.#double.perform({ task: this.#task, ref, lack }));
  }

  #note(direction: Direction, run: string, plan: StepPlan | undefined): void {
    const key = `${direction} ${run}`;
    if (plan !== undefined && !this.#started.has(key)) {
      this.#started.set(key, { direction, run, plan });
    }
  }

  /** When and how the attempt ends, unless it is called off before. */
  #report(held: Held, performed: Performed): void {
    const { ref, token } = held;
    const limit = this.#limitOf(ref);
    const isLate = performed.kind === 'hangs' || this.#now + performed.afterMs > limit.at;
    const at = isLate && performed.kind !== 'crashes' ? limit.at : this.#now + performed.afterMs;
    const happen = async (): Promise<void> => {
      if (!this.#held.delete(token)) return;
      const owner = runOf(this.#task, ref)?.lease?.owner;
      if (performed.kind === 'crashes' && owner !== undefined) {
        this.#ended.add(owner);
        await this.#apply({ kind: 'tick', crowded: new Map(), ended: this.#ended });
      } else {
        await this.#apply({ ...ref, token, ...(isLate ? limit.event : reportOf(performed)) });
      }
    };
    this.#agenda.add({ at, isOutside: false, happen });
  }

  /** The end of an attempt's time, and what its executor says then. */
  #limitOf(ref: ActionRef): { readonly at: number; readonly event: Report } {
    const deadline = runOf(this.#task, ref)?.deadline ?? this.#now;
    const attemptMs = actionOf(this.#task, ref)?.attemptTimeoutMs ?? null;
    if (attemptMs === null || this.#now + attemptMs >= deadline) {
      return { at: deadline, event: { kind: 'timed_out', message: TIMED_OUT } };
    }
    const failed = { kind: 'failed', terminal: false, failure: 'TIMED_OUT' } as const;
    return { at: this.#now + attemptMs, event: { ...failed, message: TIMED_OUT } };
  }

  /** What a document no longer wants stops in the middle. */
  #callOff(held: Held): void {
    const { ref, token } = held;
    const isOurs = runOf(this.#task, ref)?.lease?.token === token;
    if (isOurs && wantsAction(this.#task, ref)) return;
    this.#held.delete(token);
    if (!isOurs) return;
    this.#double.interrupt({ task: this.#task, ref });
    const report = { kind: 'failed', terminal: false, failure: 'FAILED' } as const;
    const event = { ...ref, token, ...report, message: 'called off' };
    this.#agenda.add({ at: this.#now, isOutside: false, happen: () => this.#apply(event) });
  }
}

type Report =
  | { readonly kind: 'timed_out'; readonly message: string }
  | {
      readonly kind: 'failed';
      readonly terminal: boolean;
      readonly failure: 'FAILED' | 'TIMED_OUT';
      readonly error?: string;
      readonly message: string;
    };

function reportOf(
  performed: Performed,
): Report | { readonly kind: 'succeeded'; readonly output: Task['plan']['constants'] } {
  switch (performed.kind) {
    case 'succeeded':
      return { kind: 'succeeded', output: performed.answer.output ?? null };
    case 'failed':
    case 'failed_retryable': {
      const terminal = performed.kind === 'failed';
      const { code, message } = performed;
      const failed = { kind: 'failed', terminal, failure: 'FAILED', message } as const;
      return code === null ? failed : { ...failed, error: code };
    }
    default:
      return { kind: 'timed_out', message: TIMED_OUT };
  }
}
