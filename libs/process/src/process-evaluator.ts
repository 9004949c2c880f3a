import type { Answer, Question } from '#core';
import { ExpressionEvaluator } from '#expressions';
import {
  announcedCommands,
  FlowChecker,
  type KnownCommands,
  knownCommandsOf,
  StepReadingEvaluator,
} from '#flow-files';
import { allOf, COMMAND, recordsOf } from '#ports';
import type {
  AbortSignalLike,
  Clock,
  CommandCatalogue,
  CommandRecord,
  Evaluator,
  ExecutorRegistry,
  RecordStore,
} from '#ports';

/** The commands that steps made while a task runs may use, and the defaults that they inherit. */
interface Served {
  readonly commands: KnownCommands;
  readonly defaults: readonly CommandRecord[];
}

/** Options of a process's evaluator. */
interface ProcessEvaluatorOptions {
  readonly clock: Clock;
  /** `$env` of expressions. */
  readonly env: Readonly<Record<string, string>>;
  /** The commands served at the moment. Rejects where that cannot be told now. */
  readonly served: () => Promise<Served>;
}

/** Works out expressions, and checks the steps that some return, away from the event loop. */
export class ProcessEvaluator implements Evaluator {
  readonly #expressions: ExpressionEvaluator;
  readonly #checker: FlowChecker;
  readonly #evaluator: Evaluator;

  constructor({ clock, env, served }: ProcessEvaluatorOptions) {
    this.#expressions = new ExpressionEvaluator({ clock, env });
    this.#checker = new FlowChecker({ clock });
    this.#evaluator = new StepReadingEvaluator(
      this.#expressions,
      (...made) => this.#checker.readSteps(...made),
      served,
    );
  }

  /** The answer. Rejects where there is none now. */
  answer(question: Question, draft?: AbortSignalLike): Promise<Answer> {
    return this.#evaluator.answer(question, draft);
  }

  /** Ends its processes; what waits is refused. Safe to call twice. */
  async close(): Promise<void> {
    await Promise.all([this.#expressions.close(), this.#checker.stop()]);
  }
}

/**
 * For so long an executor counts that is silent or has stopped, in milliseconds: it is cut off, or
 * another takes its place, and steps wait for it as those of a file do.
 */
const SILENT_MAX_MS = 60 * 60 * 1_000;

/** Where the commands are known from. */
interface ServedSources {
  readonly clock: Pick<Clock, 'now'>;
  readonly registry: Pick<ExecutorRegistry, 'listKnown'>;
  /** Of this process. */
  readonly catalogue: CommandCatalogue;
  readonly records: RecordStore;
}

/** The commands of this process and of other executors. Throws `StoreUnavailable`. */
export async function servedNow({
  catalogue,
  clock,
  records,
  registry,
}: ServedSources): Promise<Served> {
  const others = await registry.listKnown(clock.now() - SILENT_MAX_MS);
  const commands = announcedCommands(others, knownCommandsOf(catalogue));
  return { commands, defaults: await allOf(recordsOf(records, COMMAND)) };
}
