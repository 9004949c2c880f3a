import { expect } from '@jest/globals';
import {
  type EventOf,
  type FlowDefinition,
  type JsonObject,
  type Outcome,
  statusName,
  type StepRuns,
  type Task,
  type TaskEvent,
} from '#core';
import { parseFlowFile, readSteps, StepReadingEvaluator } from '#flow-files';
import type { CommandContext } from '#ports';
import { done, EngineWorld, fails, ManualClock, MemoryStore, PlainEvaluator } from '#testing';
import { ScriptedCommands, settle } from '#testing';

const PERSON = { actor: 'ann', reason: 'because', key: null } as const;
const NAMES = ['before', 'work', 'other', 'left', 'after'];

/** An action of a person on a task. */
type Asked =
  | Pick<EventOf<'judged'>, 'kind' | 'step' | 'isApproved'>
  | Pick<EventOf<'signal_received'>, 'kind' | 'name' | 'payload'>
  | {
      readonly kind: Extract<
        TaskEvent['kind'],
        `${'pause' | 'resume' | 'rollback' | 'undo'}_requested`
      >;
    };

/** From which call on a command is held, and whether it listens to what it is told. */
interface Held {
  readonly from: number;
  readonly isDeaf: boolean;
}

/** From which call on a command fails, and how. */
interface Failing {
  readonly from: number;
  readonly isTerminal: boolean;
}

/** The end of a task, as the table says it. */
export interface Ended {
  readonly step: string;
  readonly task: string;
  readonly calls: string;
}

/** A step that is a command, with another one that undoes it. */
export function step(name: string, more: JsonObject = {}): JsonObject {
  const normal = { module: 'm', command: name, ...more };
  return { name, normal, rollback: undo(name) };
}

/** The command that undoes one. */
export function undo(name: string): JsonObject {
  return { module: 'm', command: `undo_${name}` };
}

/** The problems that a flow file has whose one step has these members. */
export function problemsOf(it: JsonObject): readonly string[] {
  const text = JSON.stringify({ played: { input: {}, steps: [{ name: 'it', ...it }] } });
  return parseFlowFile(text).problems.map(({ code }) => code);
}

/**
 * A task of three steps, `before`, `it` and `after`, on processes that can be killed. `it` is what
 * is looked at; the others are commands that succeed.
 */
export class KindPlay {
  /** The calls of commands, in their order. */
  readonly contexts: CommandContext[] = [];
  private readonly store = new MemoryStore();
  private readonly commands = new ScriptedCommands();
  private readonly gates = new Map<string, () => void>();
  private readonly held = new Map<string, Held>();
  private readonly failing = new Map<string, Failing>();
  private readonly times = new Map<string, number>();
  private areQuestionsHeld = false;
  private openQuestions: () => void = () => {};
  private taskId = '';
  private world = this.process(1);

  /**
   * A call of this command runs until it is released, its time is over, its process is killed, or
   * it is told to stop; one that is deaf does not listen to that. The calls after it do not.
   */
  hold(name: string, held: Partial<Held> = {}): void {
    this.held.set(name, { from: 1, isDeaf: false, ...held });
  }

  /** The command that is held ends. */
  async release(name: string): Promise<void> {
    const open = this.gates.get(name);
    if (open === undefined) throw new Error(`${name} does not run`);
    open();
    await this.quiet();
  }

  /** The command fails from its nth call on, with an error that may be tried again. */
  fail(name: string, from = 1): void {
    this.failing.set(name, { from, isTerminal: false });
  }

  /** The command fails with an error that makes another try pointless. */
  failForGood(name: string): void {
    this.failing.set(name, { from: 1, isTerminal: true });
  }

  /** Nobody tells the values of expressions until asked again. */
  holdQuestions(): void {
    this.areQuestionsHeld = true;
  }

  /** The evaluator tells the values of expressions now. */
  async answer(): Promise<void> {
    this.areQuestionsHeld = false;
    this.openQuestions();
    await this.quiet();
  }

  /** Starts a task whose step `it` has these members. */
  async run(it: JsonObject, parameters: JsonObject = {}): Promise<void> {
    for (const name of NAMES) this.listenTo(name);
    const { child, played } = flowsWith(it);
    await this.world.engine.start();
    await this.world.store.saveFlow(child, JSON.stringify(child), 0);
    const { plan } = await this.world.submit(played, parameters);
    this.taskId = plan.taskId;
    await this.quiet();
  }

  async advance(ms: number): Promise<void> {
    await this.world.clock.advance(ms);
    await this.quiet();
  }

  /**
   * The process dies: what it ran and was about to write is gone, and so are the messages in its
   * memory. Another one starts, without a command that is held, and has half a minute.
   */
  async kill(): Promise<void> {
    this.world.store.down = true;
    this.held.clear();
    this.areQuestionsHeld = false;
    this.world = this.process(2, new ManualClock(this.world.clock.now()));
    await this.world.engine.start();
    await this.advance(30_000);
  }

  /** A person asks something of the task; says whether it is done. */
  async ask(asked: Asked): Promise<string> {
    const event = { ...PERSON, ...asked };
    const result = await this.world.engine.operate(this.taskId, event);
    await this.quiet();
    return result.kind === 'refused' ? result.code : result.kind;
  }

  async task(): Promise<Task> {
    return this.world.task(this.taskId);
  }

  /** The run of `it`. */
  async it(): Promise<StepRuns> {
    return (await this.task()).runs[1]!;
  }

  /** Code of the error for which the task went back. */
  async cause(): Promise<string | undefined> {
    return (await this.task()).turned?.cause?.code;
  }

  /** Whether the command, which runs, is told to stop. */
  isToldToStop(name: string): boolean {
    const running = this.contexts.find(({ command }) => command === name);
    if (running === undefined) throw new Error(`${name} was not called`);
    return running.signal.aborted;
  }

  /** Status of the child tasks, in the order of their items. */
  children(): readonly string[] {
    const all = [...this.store.contents.tasks.values()].filter(({ plan }) => plan.parent !== null);
    const sorted = all.sort((a, b) => (a.plan.parent?.index ?? 0) - (b.plan.parent?.index ?? 0));
    return sorted.map(({ status }) => statusName(status));
  }

  /** The state that the task has reached. */
  async ended(): Promise<Ended> {
    const task = await this.task();
    const calls = this.contexts.map((context) => wordsOf(context, task));
    const { normal } = await this.it();
    return { step: normal.state, task: statusName(task.status), calls: calls.join(', ') };
  }

  /** Stops the process that lives. */
  async stop(): Promise<void> {
    const stopped = this.world.engine.stop();
    await this.world.clock.advance(10_000);
    await stopped;
  }

  private process(number: number, clock = new ManualClock()): EngineWorld {
    const { commands } = this;
    const store = new MemoryStore(this.store.contents);
    const settings = { owner: `executor-${number}` };
    const world = new EngineWorld({ store, clock, commands, settings });
    const plain = new PlainEvaluator();
    const evaluator = new StepReadingEvaluator(plain, async (steps, known) => {
      return Promise.resolve(readSteps(steps, known));
    });
    world.evaluator.answer = async (question) => {
      if (this.areQuestionsHeld) await new Promise<void>((open) => (this.openQuestions = open));
      return evaluator.answer(question);
    };
    return world;
  }

  private listenTo(name: string): void {
    this.commands.scripts.set(`m.${name}`, async (context, before) => {
      this.contexts.push(context);
      const failing = this.failing.get(name);
      if (failing !== undefined && before + 1 >= failing.from) {
        return { ...fails('no', failing.isTerminal), error: 'BROKEN' };
      }
      const held = this.held.get(name);
      if (held === undefined || before + 1 < held.from) return this.done(name);
      this.held.delete(name);
      return this.last(name, context, held);
    });
    this.commands.scripts.set(`m.undo_${name}`, (context) => {
      this.contexts.push(context);
      return done();
    });
  }

  /** Runs until it is released or has to end. */
  private last(name: string, context: CommandContext, { isDeaf }: Held): Promise<Outcome> {
    const { signal } = context;
    const { clock } = this.world;
    return new Promise((end) => {
      this.gates.set(name, () => end(this.done(name)));
      if (!isDeaf) signal.addEventListener('abort', () => end(fails('told to stop', false)));
      clock.after(context.timeLeft(), () => end({ kind: 'timed_out', message: 'late' }));
    });
  }

  /** The command is done; it gives back how often it was. */
  private done(name: string): Outcome {
    const times = (this.times.get(name) ?? 0) + 1;
    this.times.set(name, times);
    return done({ [name]: times });
  }

  /** Lets everything happen that needs no time: one thing has another one happen. */
  private async quiet(): Promise<void> {
    for (let n = 0; n < 60; n += 1) await settle();
  }
}

/** `played`, with the step that is looked at, and `child`, which it may call. */
function flowsWith(it: JsonObject): Readonly<Record<'played' | 'child', FlowDefinition>> {
  const steps = [step('before'), { name: 'it', ...it }, step('after')];
  const child = { input: {}, steps: [step('work', { timeout: '1m' })] };
  const text = JSON.stringify({ child, played: { input: {}, steps } });
  const { flows, problems } = parseFlowFile(text);
  expect(problems).toEqual([]);
  return { child: flows[0]!.definition, played: flows[1]!.definition };
}

/** A call, with the round, the try or the item that it is of. */
function wordsOf({ command, parameters, run }: CommandContext, { plan }: Task): string {
  const isMade = plan.steps[1]?.dynamic !== undefined;
  const round = isMade ? undefined : /^it#(\d+)\//.exec(run)?.[1];
  const { item } = parameters;
  const part = typeof item === 'number' ? String(item) : round;
  return [command.replace('_', ' '), ...(part === undefined ? [] : [part])].join(' ');
}
