import type { TemplateForm } from '#kinds';
import type { Template } from '../flow/flow.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { ActionRef } from './action-ref.js';
import type { Action } from '../flow/action.js';

/**
 * The form in which a value is wanted. `gate`: true or false; where it is false, the members after
 * it have no value.
 */
export type AnswerKind = TemplateForm | 'gate';

/** A member of a step whose value must be known. */
export interface QuestionMember {
  readonly name: string;
  readonly template: Template;
  readonly as: AnswerKind;
}

/** The names that the expressions of a step can read. */
export interface Scene {
  /** `$`: the parameters as they stand where the step is. */
  readonly parameters: JsonObject;
  /** `$input`: the request's. */
  readonly input: JsonObject;
  /** `$steps`: outputs by the names of the steps. */
  readonly steps: Readonly<Record<string, JsonObject>>;
  /** `$state(name)`: states by the names of the steps. */
  readonly states: Readonly<Record<string, string>>;
  /** `$task`; `createdAt` in seconds since 1970. */
  readonly task: {
    readonly id: string;
    readonly flow: string;
    readonly version: number;
    readonly labels: Readonly<Record<string, string>>;
    readonly createdAt: number;
  };
  /** `$index`: the number of the round, from 0 on; null: the step is in none. */
  readonly index: number | null;
  /** `$now()`: when the step was reached, milliseconds since 1970. */
  readonly now: number;
}

/** A question that must be answered before a task can go on at a step. */
export interface Question {
  /** Evaluated in this order. */
  readonly members: readonly QuestionMember[];
  readonly scene: Scene;
}

/** The values of templates, by the names of their members. */
export type AnswerValues = Readonly<Record<string, JsonValue>>;

/** The values, or why an expression has none, for its author. */
export type Answer =
  | { readonly values: AnswerValues }
  | {
      readonly fault: {
        /** The member, with its place in it. */
        readonly member: string;
        /** In the expression, from 0 on; null: not of one place. */
        readonly position: number | null;
        readonly reason: string;
        /** The code of the failure; absent: `EXPRESSION_FAILED`. */
        readonly code?: 'INVALID_STEPS';
      };
    };

/** A question of a task, and where the answer belongs. */
export interface AskedQuestion extends Question {
  readonly ref: ActionRef;
  /** Unique in the task: an answer to another one is late. */
  readonly id: string;
}

const EXPRESSION = /^\s*\{%[^]*%\}\s*$/;

/** Whether a template has an expression anywhere in it. */
export function hasExpression(template: Template | undefined): boolean {
  if (typeof template === 'string') return EXPRESSION.test(template);
  if (typeof template !== 'object' || template === null) return false;
  return Object.values(template).some((inner) => hasExpression(inner));
}

/** The question of a list of members, or the values where none has an expression. */
export type Asked =
  | { readonly members: readonly QuestionMember[]; readonly values: null }
  | { readonly members: null; readonly values: AnswerValues };

const NOTHING_ASKED: Asked = Object.freeze({ members: null, values: Object.freeze({}) });

/** The question of these members, or their values where none has an expression. */
export function askedOf(members: readonly QuestionMember[]): Asked {
  if (members.length === 0) return NOTHING_ASKED;
  if (members.some(({ template }) => hasExpression(template))) return { members, values: null };
  const values = members.map(({ as, name, template }) => [name, literal(as, template)] as const);
  return { members: null, values: Object.fromEntries(values) };
}

/** Literal durations and moments are kept in milliseconds. */
function literal(as: AnswerKind, template: Template): JsonValue {
  if (as !== 'first' || !Array.isArray(template)) return template;
  const found = template.findIndex((condition) => condition === true);
  return found < 0 ? template.length : found;
}

/** The members whose values must be known before an action is called. */
export function actionAsks({ parameters }: Action): readonly QuestionMember[] {
  return parameters === null ? NONE : [{ name: 'parameters', template: parameters, as: 'object' }];
}

const NONE: readonly QuestionMember[] = Object.freeze([]);
