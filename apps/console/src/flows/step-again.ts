import type { JsonObject, Step, Task } from '../api/shapes.js';
import { type InputField, textOf } from './start-input.js';

/** The values with which one step of a task runs by itself once more. */
export interface StepAgain {
  /** The parameters that were sent. */
  readonly input: JsonObject;
  /** Outputs of the steps before it, by their names. */
  readonly given: JsonObject;
}

/** A step of a task, as it is to run once more: with what those before it have given. */
export function stepAgain(
  { input, steps }: Pick<Task, 'input' | 'steps'>,
  name: string,
): StepAgain {
  const outputs = beforeOf(steps, name).flatMap(({ name: before, output }) => {
    const isObject = typeof output === 'object' && output !== null && !Array.isArray(output);
    return isObject ? [[before, output] as const] : [];
  });
  return { input, given: Object.fromEntries(outputs) };
}

/** Everything that a step needs, directly or not, in the order of the flow. */
function beforeOf(steps: readonly Step[], name: string): readonly Step[] {
  const needed = new Set<string>();
  const open = [name];
  for (const one of open) {
    for (const need of steps.find((step) => step.name === one)?.needs ?? []) {
      if (needed.has(need)) continue;
      needed.add(need);
      open.push(need);
    }
  }
  return steps.filter((step) => needed.has(step.name));
}

/** The texts of a start form that stand for parameters. */
interface Texts {
  /** By the names of the fields. */
  readonly typed: Readonly<Record<string, string>>;
  /** Everything that has no field, as JSON. */
  readonly more: string;
}

/** The texts that a start form begins with. */
export function textsOf(fields: readonly InputField[], again: StepAgain | null): Texts {
  if (again === null) return { typed: {}, more: '' };
  const names = new Set(fields.map(({ name }) => name));
  const entries = Object.entries(again.input);
  const typed = entries.filter(([name]) => names.has(name));
  const rest = entries.filter(([name]) => !names.has(name));
  return {
    typed: Object.fromEntries(typed.map(([name, value]) => [name, textOf(value)])),
    more: rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest)),
  };
}
