import type { Answer, Question } from '#core';
import { ExpressionEvaluator } from '#expressions';
import { FlowChecker, StepReadingEvaluator } from '#flow-files';
import type { CommandCatalogue, CommandRecord, Clock, Evaluator } from '#ports';

/** What the evaluator of a process works with. */
export interface ProcessEvaluatorOptions {
  readonly clock: Clock;
  /** `$env` of expressions. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * What executors serve that were heard of lately, and what is inherited of commands. Rejects where
   * that cannot be told now.
   */
  readonly served: () => Promise<{
    readonly commands: Pick<CommandCatalogue, 'modules' | 'commands'>;
    readonly defaults: readonly CommandRecord[];
  }>;
}

/** Works out expressions, and checks the steps that some come to, away from the event loop. */
export class ProcessEvaluator implements Evaluator {
  readonly #expressions: ExpressionEvaluator;
  readonly #checker: FlowChecker;
  readonly #evaluator: Evaluator;

  constructor({ clock, env, served }: ProcessEvaluatorOptions) {
    this.#expressions = new ExpressionEvaluator({ clock, env });
    this.#checker = new FlowChecker({ clock });
    this.#evaluator = new StepReadingEvaluator(
      this.#expressions,
      (steps, known) => this.#checker.readSteps(steps, known),
      served,
    );
  }

  /** The answer. Rejects where there is none now. */
  answer(question: Question): Promise<Answer> {
    return this.#evaluator.answer(question);
  }

  /** Ends its processes; what waits is refused. Safe to call twice. */
  async close(): Promise<void> {
    await Promise.all([this.#expressions.close(), this.#checker.stop()]);
  }
}

/** The commands of one module that an executor has. */
export interface Serving {
  readonly module: string;
  readonly commands: readonly string[];
}

/** What some executors serve, taken together. */
export function servedBy(
  executors: readonly Serving[],
): Pick<CommandCatalogue, 'modules' | 'commands'> {
  const served = new Map<string, Set<string>>();
  for (const { commands, module } of executors) {
    const known = served.get(module) ?? new Set<string>();
    for (const command of commands) known.add(command);
    served.set(module, known);
  }
  return {
    modules: () => [...served.keys()],
    commands: (module) => [...(served.get(module) ?? [])],
  };
}
