import type { ActionRef, JsonValue, Scene, StepPlan, Task } from '#core';
import { innerLists } from '#core/flow';
import { stepAt } from '#core/scopes';
import type { RehearsedFlow } from './scenario.js';

/** `$steps.name`, also with a name in backticks; else any name. */
const NAME = /\$steps\.(?:`([^`]+)`|([A-Za-z_]\w*))|[A-Za-z_]\w*/g;

/** Finds values that rollbacks need and lack, because the step that gives them has not run. */
export class Lacks {
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
