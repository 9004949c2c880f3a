import { Matches, ValidateBy, ValidateIf } from 'class-validator';
import { pointerPart } from '#json';
import type { InputFault } from '#http-server';
import {
  fits,
  isChildrenForm,
  LABEL_NAME,
  LABEL_VALUE,
  LABELS_MAX,
  pattern,
  type TextForm,
} from './limits.js';

/** The member may be absent; `null` is not absent. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_request, value) => value !== undefined);
}

/** Text that fits a pattern, or a form. */
export function IsText(rule: string | TextForm, message: string): PropertyDecorator {
  if (typeof rule === 'string') return Matches(pattern(rule), { message });
  return ValidateBy({ name: 'isText', validator: { validate: fits(rule) } }, { message });
}

/** A JSON object, not a list. */
export function IsJsonObject(message: string): PropertyDecorator {
  return ValidateBy({ name: 'isJsonObject', validator: { validate: isJsonObject } }, { message });
}

/** Outputs of steps, by the names of the steps: a JSON object of JSON objects. */
export function IsOutputs(message: string): PropertyDecorator {
  const validate = (value: unknown): boolean => {
    return isJsonObject(value) && Object.values(value).every(isJsonObject);
  };
  return ValidateBy({ name: 'isOutputs', validator: { validate } }, { message });
}

/** Which child tasks of a step are meant. */
export function IsChildren(message: string): PropertyDecorator {
  return ValidateBy({ name: 'isChildren', validator: { validate: isChildrenForm } }, { message });
}

/** Names and values of text. `labelFaults` tells each mistake. */
export function IsLabels(): PropertyDecorator {
  const validate = (value: unknown): boolean => labelFaults(value).length === 0;
  return ValidateBy({ name: 'isLabels', validator: { validate } }, { message: 'labels' });
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
