import {
  type AnswerKind,
  type AnswerValues,
  hasExpression,
  type JsonObject,
  type JsonValue,
  type Question,
  type QuestionMember,
} from '#core';
import { isExpression, parseExpression } from '#expressions';
import type { Evaluator } from '#ports';

/** A member that needs what only a run gives, and what was taken for it. */
export interface Assumption {
  readonly member: string;
  readonly template: JsonValue;
  readonly taken: JsonValue;
}

/** A question as far as the parameters answer it. */
interface Resolved {
  readonly values: AnswerValues;
  readonly assumptions: readonly Assumption[];
}

/** Stands for an item of a list that is not known. */
const ASSUMED_ITEM = '{% item %}';

/** Whether the item of a list was assumed, and nothing is known of it. */
export function isAssumedItem(item: JsonValue | undefined): boolean {
  return item === ASSUMED_ITEM;
}

/**
 * Values assumed where a member has none yet: the step runs, a loop ends after one round, a list
 * has one item that is not known.
 */
const TAKEN: Readonly<Record<Exclude<AnswerKind, 'json' | 'object'>, JsonValue>> = {
  gate: true,
  flag: true,
  text: '',
  duration: 0,
  moment: 0,
  list: [ASSUMED_ITEM],
  items: [ASSUMED_ITEM],
  steps: [],
  first: 0,
};

/** Answers a question with what is known before a task runs. Rejects where no answer can be had. */
export async function resolveQuestion(
  { members, scene }: Question,
  asking: Asking,
): Promise<Resolved> {
  const means = { ...asking, scene };
  const values: Record<string, JsonValue> = {};
  const assumptions: Assumption[] = [];
  for (const member of members) {
    const { as, name, template } = member;
    const known = isKnown(template, scene) ? await valueOf(member, means) : null;
    if (known !== null) {
      values[name] = known.value;
      if (as === 'gate' && known.value === false) break;
      continue;
    }
    const taken =
      as === 'json' || as === 'object' ? await partOf(template, means) : takenFor(name, as);
    values[name] = taken;
    assumptions.push({ member: name, template, taken });
  }
  return { values, assumptions };
}

/** A loop ends after one round, whichever way it asks. */
function takenFor(name: string, as: keyof typeof TAKEN): JsonValue {
  return name === 'while' ? false : TAKEN[as];
}

/** Where answers come from, for as long as a caller waits for them. */
interface Asking {
  readonly evaluator: Evaluator;
  readonly draft: AbortSignal;
}

interface Means extends Asking {
  readonly scene: Question['scene'];
}

/** Null: it has no value. */
async function valueOf(
  member: QuestionMember,
  { draft, evaluator, scene }: Means,
): Promise<{ readonly value: JsonValue } | null> {
  const answer = await evaluator.answer({ members: [member], scene }, draft);
  const value = 'values' in answer ? answer.values[member.name] : undefined;
  return value === undefined ? null : { value };
}

/** A template with values in the place of the expressions that have one. */
async function partOf(template: JsonValue, means: Means): Promise<JsonValue> {
  if (Array.isArray(template)) {
    return Promise.all(template.map((part) => partOf(part, means)));
  }
  if (typeof template === 'object' && template !== null) {
    const parts = Object.entries(template).map(async ([name, part = null]) => {
      return [name, await partOf(part, means)] as const;
    });
    return Object.fromEntries(await Promise.all(parts));
  }
  if (!hasExpression(template) || !isKnown(template, means.scene)) return template;
  const found = await valueOf({ name: 'value', template, as: 'json' }, means);
  return found?.value ?? template;
}

/** Whether everything that a template looks at is known before the task runs. */
function isKnown(template: JsonValue, scene: Question['scene']): boolean {
  if (typeof template === 'object' && template !== null) {
    return Object.values(template).every((part) => part === undefined || isKnown(part, scene));
  }
  if (!isExpression(template)) return true;
  const parsed = parseExpression(template);
  if (!('names' in parsed)) return false;
  const { parameters, steps } = parsed.names;
  if (steps.isReadWhole || steps.named.length > 0 || parameters.isReadWhole) return false;
  return parameters.named.every(({ name }) => isSettled(scene.parameters, name));
}

function isSettled(parameters: JsonObject, name: string): boolean {
  return Object.hasOwn(parameters, name) && !hasExpression(parameters[name]);
}
