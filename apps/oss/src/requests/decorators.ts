import { applyDecorators } from '@nestjs/common';
import { Allow, IsInt, Matches, Max, Min, ValidateBy, ValidateIf } from 'class-validator';
import type { Rule, Schema } from '#class-schema';
import { pointerPart } from '#json';
import type { InputFault } from '#http-server';
import {
  CHILDREN,
  fits,
  isChildrenForm,
  LABEL_NAME,
  LABEL_VALUE,
  LABELS_MAX,
  pattern,
  PRIORITY_MAX,
  type TextForm,
} from './limits.js';

/** The context of a rule that says its part of the JSON Schema of its member by itself. */
export interface Saying {
  readonly schema: Schema;
}

function saying(schema: object): Saying {
  return { schema: schema as Schema };
}

/** The member may be absent; `null` is not absent. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf(isThere);
}

function isThere(_request: unknown, value: unknown): boolean {
  return value !== undefined;
}

/** Whether a rule is that of `MayBeAbsent`. */
export function letsBeAbsent({ constraints }: Rule): boolean {
  return (constraints as readonly unknown[] | undefined)?.[0] === isThere;
}

/**
 * The description of a member in the OpenAPI document, and what its JSON Schema says beyond the
 * rules: that which is checked later, once the member is read.
 */
export function Described(description?: string, more: object = {}): PropertyDecorator {
  return Allow({ context: saying({ ...more, ...(description !== undefined && { description }) }) });
}

/** A rule of our own, with the JSON Schema that says the same. */
interface OwnRule {
  readonly name: string;
  readonly schema: object;
  /** The fault of a value that does not fit. */
  readonly message: string;
  readonly validate: (value: unknown) => boolean;
}

/** Checks a member by a rule of our own. */
export function Fits({ message, name, schema, validate }: OwnRule): PropertyDecorator {
  return ValidateBy({ name, validator: { validate } }, { message, context: saying(schema) });
}

/** Text that fits a pattern, or a form. */
export function IsText(rule: string | TextForm, message: string): PropertyDecorator {
  if (typeof rule !== 'string') {
    return Fits({ name: 'isText', schema: rule, validate: fits(rule), message });
  }
  return Matches(pattern(rule), { message, context: saying({ type: 'string', pattern: rule }) });
}

/** Text or a number, as times are written. Its value is read later. */
export function IsTextOrNumber(message: string): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' || Number.isFinite(value);
  return Fits({ name: 'isTime', schema: { type: ['string', 'number'] }, validate, message });
}

/** A JSON object, not a list. */
export function IsJsonObject(message: string): PropertyDecorator {
  const schema = { type: 'object' };
  return Fits({ name: 'isJsonObject', schema, validate: isJsonObject, message });
}

/** Outputs of steps, by the names of the steps: a JSON object of JSON objects. */
export function IsOutputs(message: string): PropertyDecorator {
  const schema = { type: 'object', additionalProperties: { type: 'object' } };
  const validate = (value: unknown): boolean => {
    return isJsonObject(value) && Object.values(value).every(isJsonObject);
  };
  return Fits({ name: 'isOutputs', schema, validate, message });
}

/** Which child tasks of a step are meant. */
export function IsChildren(message: string): PropertyDecorator {
  return Fits({ name: 'isChildren', schema: CHILDREN, validate: isChildrenForm, message });
}

/** Names and values of text. `labelFaults` tells each mistake. */
export function IsLabels(least = 0): PropertyDecorator {
  const schema = {
    type: 'object',
    ...(least > 0 && { minProperties: least }),
    maxProperties: LABELS_MAX,
    propertyNames: { pattern: LABEL_NAME },
    additionalProperties: { type: 'string', pattern: LABEL_VALUE },
  };
  const validate = (value: unknown): boolean => labelFaults(value).length === 0;
  return Fits({ name: 'isLabels', schema, validate, message: 'labels' });
}

/** Seconds of head start, to either side. */
export function IsPriority(): PropertyDecorator {
  const message = `\`priority\` is a whole number from ${-PRIORITY_MAX} to ${PRIORITY_MAX}.`;
  return applyDecorators(
    Max(PRIORITY_MAX, { message }),
    Min(-PRIORITY_MAX, { message }),
    IsInt({ message }),
  );
}

/** Whether something is an object that JSON writes with braces. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NAME = pattern(LABEL_NAME);
const VALUE = pattern(LABEL_VALUE);

/** The mistakes in labels; empty: there are none. */
export function labelFaults(labels: unknown): readonly InputFault[] {
  if (!isJsonObject(labels)) return [fault('', '`labels` must be an object of texts.')];
  const names = Object.keys(labels);
  if (names.length > LABELS_MAX) return [fault('', `A task has at most ${LABELS_MAX} labels.`)];
  return names.flatMap((name) => {
    const pointer = pointerPart(name);
    if (!NAME.test(name)) {
      return fault(pointer, 'The name of a label has 1 to 100 characters, none of them control.');
    }
    const value = labels[name];
    if (typeof value === 'string' && VALUE.test(value)) return [];
    return fault(
      pointer,
      'The value of a label is text of up to 500 characters, none of them control.',
    );
  });
}

function fault(pointer: string, message: string): InputFault {
  return { pointer: `/labels${pointer}`, message };
}
