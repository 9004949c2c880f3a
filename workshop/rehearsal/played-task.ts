import {
  type ActionRef,
  type Answer,
  type Direction,
  type JsonValue,
  type Question,
  questionOf,
  type Scene,
  type StepPlan,
  type Task,
  type TaskEvent,
} from '#core';
import { innerLists } from '#core/flow';
import { lockQuestion, waitingTickets } from '#core/locks';
import { actionOf, runIdOf, runOf, stepAt, wantsAction } from '#core/scopes';
import { createTask, type Moved, type QueuedAction, transition } from '#core/transitions';
import { withFlowLabels } from '#ports';
import { ChildPlays } from './child-plays.js';
import { Double, type Performed } from './double.js';
import { type Effect, Effects } from './effects.js';
import { Outsiders, type Started } from './outsiders.js';
import type { PlayedFrom, PlayedOptions } from './play.js';
import type { RehearsedFlow } from './scenario.js';
import { START } from './stage.js';

interface Held {
  readonly ref: ActionRef;
  readonly token: number;
}

const TIMED_OUT = 'this attempt timed out';

/** The report of the executor on an attempt that did not succeed. */
type Report =
  | { readonly kind: 'timed_out'; readonly message: string }
  | {
      readonly kind: 'failed';
      readonly terminal: boolean;
      readonly failure: 'FAILED' | 'TIMED_OUT';
      readonly error?: string;
      readonly message: string;
    };

/** `$steps.name`, also with a name in backticks; else any name. */
const NAME = /\$steps\.(?:`([^`]+)`|([A-Za-z_]\w*))|[A-Za-z_]\w*/g;

/** One task of a play: it moves by events, and has doubles run its commands. */
export class PlayedTask {
  readonly path: string;
  readonly #children: ChildPlays<PlayedTask>;
  readonly #effects = new Effects();
  readonly #double: Double;
  readonly #outsiders: Outsiders;
  readonly #held = new Map<number, Held>();
  readonly #seen = new Set<string>();
  readonly #lacks: Lacks;
  /** Messages about missing values of rollbacks, by the ids of their runs. */
  readonly #lacking = new Map<string, string>();
  /** From `begin` on. */
  #task!: Task;

  /** `onRest`: told when it has ended, or waits for a person. */
  constructor(
    private readonly from: PlayedFrom,
    private readonly options: PlayedOptions,
    private readonly onRest: () => void,
  ) {
    const { definition } = from.flow;
    const { path } = from;
    const { scenario } = options;
    const faults = options.faults.flatMap((fault) => {
      return fault.run.startsWith(path) ? [{ ...fault, run: fault.run.slice(path.length) }] : [];
    });
    this.path = path;
    this.#lacks = new Lacks({ definition, scenario });
    this.#double = new Double(this.#effects, { ...options, faults });
    this.#outsiders = new Outsiders({ scenario, faults, startedAt: START });
    this.#children = new ChildPlays(this, options, (child) => {
      return new PlayedTask(child, options, () => this.#children.look());
    });
  }

  get task(): Task {
    return this.#task;
  }

  /** This task, and all that lie in it. */
  withChildren(): readonly PlayedTask[] {
    return [this, ...this.#children.all().flatMap((child) => child.withChildren())];
  }

  /** Steps that began to wait for an answer from outside. */
  asked(): readonly Started[] {
    return [...this.#outsiders.asked.values()].map((one) => this.#placed(one));
  }

  /** Its effects that nothing has undone, and those of its child tasks. */
  standing(): readonly Effect[] {
    const own = this.#effects.standing().map((effect) => this.#placed(effect));
    const below = this.#children.all().flatMap((child) => {
      const isLost = child.task.outcome !== 'succeeded';
      return child.standing().map((one) => (isLost ? { ...one, isUnwanted: true } : one));
    });
    return [...own, ...below];
  }

  /** Creates it, and starts its first steps. Throws `LabelsFailed`. */
  async begin(): Promise<void> {
    const { evaluator, stage } = this.options;
    const { flow, taskId } = this.from;
    const answer = (question: Question) => evaluator.answer(question);
    const newcomer = { answer, taskId, now: stage.now };
    const request = await withFlowLabels(flow, this.from.request, newcomer);
    const first = createTask(flow, request, { taskId, moment: stage.moment() });
    this.#task = first.task;
    for (const { at, event } of this.#outsiders.signals()) this.#expect(at, event);
    await this.#follow(first);
    this.#tell();
  }

  /** Its time has come. */
  async tick(): Promise<void> {
    await this.apply({ kind: 'tick', crowded: new Map(), ended: this.options.stage.crashed });
  }

  /** Something happened to it. */
  async apply(event: TaskEvent): Promise<void> {
    const { stage } = this.options;
    stage.countChange();
    const decision = transition(this.#task, event, { moment: stage.moment() });
    if (decision.kind !== 'moved') return;
    this.#task = decision.task;
    this.#effects.follow(decision.task);
    this.options.reach?.look(decision.task);
    await this.#follow(decision);
    this.#tell();
  }

  #tell(): void {
    const { hold, outcome } = this.#task;
    if (outcome !== null || hold !== null) this.onRest();
  }

  async #follow({ effects, queued }: Moved): Promise<void> {
    for (const held of this.#held.values()) this.#callOff(held);
    for (const { at, event } of this.#outsiders.answersFor(this.#task, this.options.stage.now)) {
      this.#expect(at, event);
    }
    for (const effect of effects) {
      if (effect.kind === 'answer') await this.#answer(effect.ref);
      if (effect.kind === 'tend_children') this.#children.look();
      if (effect.kind === 'take_locks') await this.#takeLocks();
    }
    for (const action of queued) await this.#start(action);
  }

  #expect(at: number, event: TaskEvent): void {
    const { agenda, now } = this.options.stage;
    const happen = () => this.apply(event);
    agenda.add({ at: Math.max(at, now), isOutside: true, happen });
  }

  async #answer(ref: ActionRef): Promise<void> {
    const question = questionOf(this.#task, ref);
    if (question === null) return;
    const { id, members, scene } = question;
    const answer = await this.options.evaluator.answer({ members, scene });
    if (ref.direction === 'rollback') this.#look(ref, scene, answer);
    await this.apply({ kind: 'answered', ...ref, question: id, answer });
  }

  /** Nobody else is there who could hold them. */
  async #takeLocks(): Promise<void> {
    for (const ticket of waitingTickets(this.#task)) {
      const { number } = ticket;
      const question = lockQuestion(this.#task, ticket);
      if (question === null) {
        await this.apply({ kind: 'locks_held', number });
      } else {
        const answer = await this.options.evaluator.answer(question);
        await this.apply({ kind: 'locks_named', number, answer });
      }
    }
  }

  /** Whether a rollback was given what its flow promises it. */
  #look(ref: ActionRef, scene: Scene, answer: Answer): void {
    if (!('values' in answer)) return;
    const lack = this.#lacks.of(this.#task, ref, { scene, given: answer.values['parameters'] });
    if (lack !== null) this.#lacking.set(runIdOf(this.#task, ref.step), lack);
  }

  async #start({ attempt, ref }: QueuedAction): Promise<void> {
    // That a person is called is the end of a play.
    const before = this.#task.token;
    const owner = `executor ${before + 1} of ${this.#task.plan.taskId}`;
    await this.apply({ kind: 'claimed', ...ref, attempt, owner });
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
    if (plan === undefined || this.#seen.has(key)) return;
    this.#seen.add(key);
    this.options.stage.started.push(this.#placed({ direction, run, plan }));
  }

  #placed<T extends { readonly run: string }>(one: T): T {
    return this.path === '' ? one : { ...one, run: `${this.path}${one.run}` };
  }

  /** When and how the attempt ends, unless it is called off before. */
  #report(held: Held, performed: Performed): void {
    const { ref, token } = held;
    const { agenda, crashed, now } = this.options.stage;
    const limit = attemptLimit(this.#task, ref, now);
    const isLate = performed.kind === 'hangs' || now + performed.afterMs > limit.at;
    const at = isLate && performed.kind !== 'crashes' ? limit.at : now + performed.afterMs;
    const happen = async (): Promise<void> => {
      if (!this.#held.delete(token)) return;
      const owner = runOf(this.#task, ref)?.lease?.owner;
      if (performed.kind === 'crashes' && owner !== undefined) {
        crashed.add(owner);
        await this.tick();
      } else {
        await this.apply({ ...ref, token, ...(isLate ? limit.event : reportOf(performed)) });
      }
    };
    agenda.add({ at, isOutside: false, happen });
  }

  /** Interrupts an attempt that the document of the task no longer wants. */
  #callOff(held: Held): void {
    const { ref, token } = held;
    const isOurs = runOf(this.#task, ref)?.lease?.token === token;
    if (isOurs && wantsAction(this.#task, ref)) return;
    this.#held.delete(token);
    if (!isOurs) return;
    this.#double.interrupt({ task: this.#task, ref });
    const { agenda, now } = this.options.stage;
    const report: Report = {
      kind: 'failed',
      terminal: false,
      failure: 'FAILED',
      message: 'called off',
    };
    const happen = () => this.apply({ ...ref, token, ...report });
    agenda.add({ at: now, isOutside: false, happen });
  }
}

/** The deadline of an attempt that begins now, and the report of its executor at that time. */
function attemptLimit(
  task: Task,
  ref: ActionRef,
  now: number,
): { readonly at: number; readonly event: Report } {
  const deadline = runOf(task, ref)?.deadline ?? now;
  const attemptMs = actionOf(task, ref)?.attemptTimeoutMs ?? null;
  if (attemptMs === null || now + attemptMs >= deadline) {
    return { at: deadline, event: { kind: 'timed_out', message: TIMED_OUT } };
  }
  const failed = { kind: 'failed', terminal: false, failure: 'TIMED_OUT' } as const;
  return { at: now + attemptMs, event: { ...failed, message: TIMED_OUT } };
}

/** The report of an executor on the result of its command. */
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

/** Finds values that rollbacks need and lack, because the step that gives them has not run. */
class Lacks {
  /** Names of the steps whose scripted outputs have a member, by the member. */
  readonly #givers = new Map<string, Set<string>>();

  constructor({ definition, scenario }: RehearsedFlow) {
    const visit = (step: StepPlan): void => {
      const { command, module } = step.normal ?? {};
      const answers =
        scenario.answers.get(step.name) ?? scenario.answers.get(`${module}.${command}`);
      for (const { output = {} } of answers ?? []) {
        for (const key of Object.keys(output)) {
          this.#givers.set(key, (this.#givers.get(key) ?? new Set()).add(step.name));
        }
      }
      innerLists(step).flat().forEach(visit);
    };
    definition.steps.forEach(visit);
  }

  /**
   * A message about a parameter whose value the flow promises a rollback and that is missing; null:
   * none. An output of the step that is undone may be missing: that step may have failed.
   */
  of(
    task: Task,
    ref: ActionRef,
    { given, scene }: { readonly scene: Scene; readonly given: JsonValue | undefined },
  ): string | null {
    const step = stepAt(task, ref.step);
    const values = new Map(Object.entries(given ?? {}));
    for (const [member, template] of Object.entries(step?.rollback?.parameters ?? {})) {
      if ((values.get(member) ?? null) !== null) continue;
      for (const [name, quoted, plain] of JSON.stringify(template).matchAll(NAME)) {
        const read = quoted ?? plain ?? this.#giverOf(name, step?.name ?? '');
        const state = read === null ? undefined : scene.states[read];
        if (read === null || read === step?.name || state === undefined) continue;
        return `its parameter ${member} needs the output of ${read}, which is ${state}`;
      }
    }
    return null;
  }

  /** The step that gives what has this name, unless the step itself does. */
  #giverOf(name: string, own: string): string | null {
    const givers = this.#givers.get(name);
    const [first] = givers === undefined || givers.has(own) ? [] : [...givers];
    return first ?? null;
  }
}
