import type { Answer, JsonObject, JsonValue, Question, QuestionMember, Scene } from '#core';
import type { Evaluator } from '#ports';

/**
 * An evaluator for tests of what an answer does: `{% name %}` is the parameter of that name,
 * `{% name > 3 %}` a comparison with a whole number, `{% boom %}` fails. Everything else stands for
 * itself. The expressions of the language have tests of their own.
 */
export class PlainEvaluator implements Evaluator {
  /** Called before each answer; may throw what has none. */
  before: () => void = () => {};

  async answer({ members, scene }: Question): Promise<Answer> {
    this.before();
    return Promise.resolve(answerPlainly(members, scene));
  }
}

/** The answer of `PlainEvaluator`, at once. */
export function answerPlainly(members: readonly QuestionMember[], scene: Scene): Answer {
  const values: Record<string, JsonValue> = {};
  for (const { as, name, template } of members) {
    if (JSON.stringify(template).includes('{% boom %}')) {
      return { fault: { member: name, position: 0, reason: 'boom' } };
    }
    // Steps that are written down are data, whatever expressions stand in them.
    const isData = as === 'steps' && Array.isArray(template);
    const value = isData ? template : valueOf(template, scene);
    values[name] = as === 'first' ? firstOf(value as readonly JsonValue[]) : value;
    if (as === 'gate' && value === false) break;
  }
  return { values };
}

function firstOf(conditions: readonly JsonValue[]): number {
  const found = conditions.findIndex((condition) => condition === true);
  return found < 0 ? conditions.length : found;
}

function valueOf(template: JsonValue, scene: Scene): JsonValue {
  if (typeof template === 'string') return textOf(template, scene);
  if (Array.isArray(template)) return template.map((inner: JsonValue) => valueOf(inner, scene));
  if (typeof template !== 'object' || template === null) return template;
  const entries = Object.entries(template as JsonObject);
  return Object.fromEntries(entries.map(([key, inner]) => [key, valueOf(inner ?? null, scene)]));
}

function textOf(text: string, { index, parameters }: Scene): JsonValue {
  const [, name = '', bound] = /^\{% \$?(\w+)(?: > (\d+))? %\}$/.exec(text) ?? [];
  if (name === '') return text;
  const value = name === 'index' ? index : (parameters[name] ?? null);
  return bound === undefined ? value : Number(value) > Number(bound);
}
