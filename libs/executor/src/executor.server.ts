import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { JsonObject, Outcome } from '#core';
import type {
  Clock,
  CommandCatalogue,
  CommandContext,
  CommandHandler,
  TaskMarks,
  Tracer,
} from '#ports';
import { withinAttempt } from './attempt-scope.js';
import {
  type CallTerms,
  CommandCall,
  type CommandPipeline,
  type FaultFinder,
  type LeaveListener,
} from './command-call.js';
import { type CommandExtras, EXECUTOR_TRANSPORT } from './command-metadata.js';
import { OutputCheck } from './output-check.js';
import { schemasOfCommand } from './parameters-schema.js';
import { type HeldResidue, isSideExtras, type Residue, type SideQuestion } from './side-method.js';

/** Something that needs watching if it is still there when the turn is over. */
interface Watched {
  watch(): void;
}

/** Options of an executor server. */
export interface ExecutorServerOptions {
  readonly clock: Clock;
  /** Most bytes of a command's output as JSON; 256 KiB where absent. */
  readonly maxOutputBytes?: number;
}

interface ServedCommand extends CommandHandler {
  readonly method: string;
  readonly parameters: JsonObject | null;
  readonly output: JsonObject | null;
}

/** A method that answers a question besides commands. */
interface SideMethod {
  readonly module: string;
  readonly question: SideQuestion;
  readonly handler: MessageHandler;
}

const OUTPUT_BYTES_MAX = 256 * 1024;

/**
 * The transport strategy under which Nest hands over the commands of all executors of an
 * application, each with its guards, pipes, interceptors and filters around it, and the catalogue
 * in which the engine finds them. It moves no messages itself: that is the engine's part.
 */
export class ExecutorServer extends Server implements CustomTransportStrategy, CommandCatalogue {
  override transportId = EXECUTOR_TRANSPORT;
  readonly #served = new Map<string, Map<string, ServedCommand>>();
  readonly #terms: CallTerms;
  readonly #turn = new TurnWatch();
  readonly #sideMethods: SideMethod[] = [];
  readonly #givingWay = new Set<string>();
  readonly #replaceable = new Set<string>();
  #faults: FaultFinder | undefined;
  #tracer: Pick<Tracer, 'within'> | undefined;
  #isScoped = false;

  constructor({ clock, maxOutputBytes = OUTPUT_BYTES_MAX }: ExecutorServerOptions) {
    super();
    this.#terms = { clock, maxOutputBytes };
  }

  /** Called by Nest for every handler of the application; others' are passed over. */
  override addHandler(
    ...[pattern, handler, isEvent, extras]: Parameters<Server['addHandler']>
  ): void {
    if (isSideExtras(extras)) {
      const { module, question } = extras;
      this.#sideMethods.push({ module, question, handler });
    }
    if (!isCommand(extras)) return;
    super.addHandler(pattern, handler, isEvent, extras);
    const { module, command, method, output, parameters, secrets } = extras;
    const commands = this.#served.get(module) ?? new Map<string, ServedCommand>();
    const other = commands.get(command)?.method;
    const name = `${module}.${command}`;
    if (other === undefined && this.#givingWay.has(module)) this.#replaceable.add(name);
    else if (other !== undefined && !this.#replaceable.delete(name)) {
      throw new Error(`both ${other} and ${method} are the command ${name}`);
    }
    const schemas = schemasOfCommand({ output, parameters });
    const check = output && new OutputCheck(output, secrets);
    commands.set(command, { ...this.#serve(handler, check), method, ...schemas, secrets });
    this.#served.set(module, commands);
  }

  /**
   * Lets another executor replace a command of these modules that was handed over before. Default:
   * two executors with the same command are an error.
   */
  giveWay(modules: readonly string[]): void {
    for (const module of modules) this.#givingWay.add(module);
  }

  modules(): readonly string[] {
    return [...this.#served.keys()];
  }

  commands(module: string): readonly string[] {
    return [...(this.#served.get(module)?.keys() ?? [])];
  }

  parametersOf(module: string, command: string): JsonObject | null {
    return this.#served.get(module)?.get(command)?.parameters ?? null;
  }

  outputOf(module: string, command: string): JsonObject | null {
    return this.#served.get(module)?.get(command)?.output ?? null;
  }

  find(module: string, command: string): CommandHandler | undefined {
    return this.#served.get(module)?.get(command);
  }

  /** A method whose command gives secrets, for messages to the author; undefined: there is none. */
  givesSecrets(): string | undefined {
    const all = [...this.#served.values()].flatMap((commands) => [...commands.values()]);
    return all.find(({ secrets }) => secrets !== undefined)?.method;
  }

  /** Asked before each attempt what is to go wrong in it. Default: nothing ever does. */
  useFaults(faults: FaultFinder): void {
    this.#faults = faults;
  }

  /**
   * Lets whatever a command calls ask for its attempt (`attemptNow`) from now on. Default: nothing
   * asks, because before Node 24 it makes each promise of the process a little slower.
   */
  useAttemptScope(): void {
    this.#isScoped = true;
  }

  /** Runs each attempt within its span from now on. Default: this process traces nothing. */
  useTracer(tracer: Pick<Tracer, 'within'>): void {
    this.#tracer = tracer;
  }

  /**
   * The residue that executors of this process report for a task. Throws what their reports throw.
   */
  async residueOf(taskId: string): Promise<readonly HeldResidue[]> {
    const reports = await this.#ask('residue', taskId);
    return reports.flatMap(({ answer, module }) => {
      return (answer as readonly Residue[]).map((one) => ({ ...one, module }));
    });
  }

  /** Whether an executor of this process says where it keeps marks. */
  get keepsMarks(): boolean {
    return this.#sideMethods.some(({ question }) => question === 'marks');
  }

  /** Where executors of this process keep marks. Throws what they throw. */
  async marks(): Promise<readonly TaskMarks[]> {
    const answers = await this.#ask('marks', undefined);
    return answers.flatMap(({ answer }) => answer as readonly TaskMarks[]);
  }

  /** The answers of all methods to a question. */
  async #ask(
    question: SideQuestion,
    about: unknown,
  ): Promise<readonly { readonly module: string; readonly answer: unknown }[]> {
    const asked = this.#sideMethods.filter((method) => method.question === question);
    const answers = asked.map(async ({ handler, module }) => {
      const answer: unknown = await handler(about, {});
      return { module, answer: isObservable(answer) ? await lastValueFrom(answer) : answer };
    });
    return Promise.all(answers);
  }

  listen(callback: () => void): void {
    callback();
  }

  close(): void {}

  on(): never {
    throw new Error('an executor server has no events');
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The signature is Nest's.
  unwrap<T>(): T {
    return this as unknown as T;
  }

  #serve(handler: MessageHandler, output?: OutputCheck): Pick<CommandHandler, 'run'> {
    const pipeline: CommandPipeline = handler;
    const terms = output === undefined ? this.#terms : { ...this.#terms, output };
    const turn = this.#turn;
    const call = (context: CommandContext, onLeft?: LeaveListener): Promise<Outcome> =>
      new Promise((resolve) => {
        const made = new CommandCall(context, terms, resolve, onLeft);
        made.start(pipeline);
        turn.add(made);
      });
    const begin: CommandHandler['run'] = (context, onLeft) => {
      const fault = this.#faults?.(context);
      return fault === undefined ? call(context, onLeft) : fault(() => call(context, onLeft));
    };
    const run: CommandHandler['run'] = (context, onLeft) =>
      this.#isScoped
        ? withinAttempt(context, () => begin(context, onLeft))
        : begin(context, onLeft);
    return {
      run: (context, onLeft) => {
        const tracer = this.#tracer;
        if (tracer === undefined) return run(context, onLeft);
        return tracer.within(context, () => run(context, onLeft));
      },
    };
  }
}

function isCommand(extras: object | undefined): extras is CommandExtras {
  return extras !== undefined && 'module' in extras && 'command' in extras && 'method' in extras;
}

/**
 * Looks at what was begun once the present turn of the event loop is over. A command that does no
 * waiting has ended by then and has cost no timer.
 */
class TurnWatch {
  #begun: Watched[] = [];

  add(watched: Watched): void {
    if (this.#begun.push(watched) === 1) setImmediate(() => this.#look());
  }

  #look(): void {
    const begun = this.#begun;
    this.#begun = [];
    for (const watched of begun) watched.watch();
  }
}
