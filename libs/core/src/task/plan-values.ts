import { type Fields, type Member, type Members, objectsIn, type TemplateForm } from '#kinds';
import type { QuestionMember } from './question.js';
import type { StepPlan, Template } from '../flow/flow.js';
import { innerLists } from '../flow/plan-lists.js';
import { declarationOf } from '../flow/step-kind.js';

/** A value that a plan has, and its declaration. */
interface PlanValue {
  readonly member: Member;
  /** As the author calls it. */
  readonly name: string;
  /** Neither null nor undefined. */
  readonly value: unknown;
  /** From the step, with the author's names. */
  readonly path: readonly (string | number)[];
}

/** The values of the members that make a step, without those of the steps that it holds. */
export function* planValues(step: StepPlan): Generator<PlanValue> {
  yield* valuesOf(declarationOf(step).members, step, []);
}

function* valuesOf(
  members: Members,
  holder: object,
  around: PlanValue['path'],
): Generator<PlanValue> {
  for (const [name, member] of Object.entries(members)) {
    const value = (holder as Fields)[planName(name, member)] ?? null;
    if (value === null) continue;
    const path = [...around, name];
    yield { member, name, value, path };
    if (member.type !== 'object of') continue;
    for (const { at, fields, members: inner } of objectsIn(member, value)) {
      yield* valuesOf(inner, fields, [...path, ...at]);
    }
  }
}

/** The name of a member in a plan: durations are in milliseconds there. */
export function planName(name: string, { type }: Pick<Member, 'type'>): string {
  return type === 'duration' ? `${name}Ms` : name;
}

/** A template in a step, and where its author wrote it. */
interface PlacedTemplate {
  readonly template: Template;
  readonly as: TemplateForm;
  readonly path: PlanValue['path'];
  /** From where its expressions look; see `ValueMember`. */
  readonly from: 'before' | 'round' | 'item' | 'behind';
}

/** The templates of the members that make a step, without those of the steps that it holds. */
export function* templatesOf(step: StepPlan): Generator<PlacedTemplate> {
  for (const { member, path, value } of planValues(step)) {
    if (!('template' in member) || member.template === undefined) continue;
    const { from = 'before', template: as } = member;
    const [template, ...below] = templateIn(member.type, value as object);
    if (template !== null) yield { template, as, from, path: [...path, ...below] };
  }
}

/** The part of a value that is a template, null where there is none, and the way to it. */
function templateIn(type: Member['type'], value: object): readonly [Template, ...string[]] {
  const part = type === 'tries' ? 'forEach' : 'parameters';
  if (type !== 'tries' && type !== 'action' && type !== 'undo') return [value as Template];
  return [(value as Record<string, Template>)[part] ?? null, part];
}

/** The members that a step asks for before it starts, or, with `round`, after each round of it. */
export function asksOf(
  step: StepPlan,
  from: PlacedTemplate['from'] = 'before',
): readonly QuestionMember[] {
  const found = [...templatesOf(step)].filter((template) => template.from === from);
  const conditions = found.filter(({ as }) => as === 'first');
  const others = found.filter(({ as }) => as !== 'first');
  const members = others.map(({ as, path, template }): QuestionMember => {
    return { name: String(path.at(-1)), template, as };
  });
  if (conditions.length === 0) return members;
  const [{ path }] = conditions as [PlacedTemplate];
  const first = { name: String(path.at(-1)), template: conditions.map(({ template }) => template) };
  return [...members, { ...first, as: 'first' }];
}

/** A flow whose tasks are child tasks of a step. */
export interface CalledFlow {
  /** Its name, or an expression. */
  readonly name: string;
  /** Null: the newest when the step is reached. */
  readonly version: number | null;
  /** From the step to the name. */
  readonly path: PlanValue['path'];
}

/** The flow whose tasks a step starts as child tasks; null: it names none. */
export function calledFlow(step: StepPlan): CalledFlow | null {
  const values = [...planValues(step)];
  const named = values.find(({ member }) => member.type === 'flow');
  if (named === undefined) return null;
  const version = values.find(({ name }) => name === 'version');
  return {
    name: named.value as string,
    version: (version?.value ?? null) as number | null,
    path: named.path,
  };
}

/** Whether some steps of these lists come to be only while a task runs. */
export function makesSteps(steps: readonly StepPlan[]): boolean {
  return steps.some((step) => {
    const isMaker = [...templatesOf(step)].some(({ as }) => as === 'steps');
    return isMaker || innerLists(step).some(makesSteps);
  });
}
