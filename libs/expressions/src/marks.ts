import type { JsonValue } from '#core';

const EXPRESSION = /^(\s*\{%)([^]*)%\}\s*$/;

/** An expression inside a template. */
interface PlacedExpression {
  /** Where it stands, as JSON pointer into the template; empty: it is the whole template. */
  readonly pointer: string;
  /** As written, marks included. */
  readonly text: string;
}

interface Place {
  readonly value: JsonValue | undefined;
  readonly name: string | number;
  readonly around: Place | null;
}

/** Whether a value of a template is an expression: a text that is `{% ... %}` from end to end. */
export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && EXPRESSION.test(value);
}

/** An expression without its marks. */
export interface MarkedCode {
  /** The text between the marks. */
  readonly code: string;
  /** Where it begins in the text with its marks. */
  readonly start: number;
}

/** Takes the marks off; null: the text is no expression. */
export function takeMarksOff(text: string): MarkedCode | null {
  const [, opening = '', code = ''] = EXPRESSION.exec(text) ?? [];
  return opening === '' ? null : { code, start: opening.length };
}

/** Every expression of a template, in the order in which they are written. */
export function expressionsIn(template: JsonValue): readonly PlacedExpression[] {
  const found: PlacedExpression[] = [];
  const waiting: Place[] = [{ value: template, name: '', around: null }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { value } = place;
    if (isExpression(value)) found.push({ pointer: pointerOf(place), text: value });
    else if (typeof value === 'object' && value !== null) {
      for (const inner of placesIn(value, place).reverse()) waiting.push(inner);
    }
  }
  return found;
}

function placesIn(value: object, around: Place): Place[] {
  if (Array.isArray(value)) {
    return value.map((entry: JsonValue, name) => ({ value: entry, name, around }));
  }
  const members = Object.entries(value as Record<string, JsonValue | undefined>);
  return members.map(([name, member]) => ({ value: member, name, around }));
}

/** Made only where an expression was found: in a deep template most places have none. */
function pointerOf(place: Place): string {
  const segments: string[] = [];
  for (let at = place; at.around !== null; at = at.around) {
    segments.push(String(at.name).replaceAll('~', '~0').replaceAll('/', '~1'));
  }
  return segments.map((_, index) => `/${segments.at(-1 - index)}`).join('');
}
