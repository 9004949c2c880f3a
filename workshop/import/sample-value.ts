import type { JsonValue } from '#core';
import { readJson } from '#json';

/** A value that an expression can work with. */
export interface Hint {
  readonly value: JsonValue;
  /** It follows from the expression, so that another value may have it fail. */
  readonly isSure: boolean;
}

/** Where a value is read: the code around it, and the names of the members that this stands in. */
interface Use {
  readonly before: string;
  readonly after: string;
  readonly keys: readonly string[];
}

/** A day after the moment at which tests begin. */
const MOMENT = '2030-01-02T00:00:00Z';
/** One task that is data, as the import writes them for a command that works them out. */
const TASKS: JsonValue = [{ name: 'sample', taskReferenceName: 'sample' }];

const COMPARED = /^\)*\s*(!=|<=|>=|=|<|>)\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false)?/;
const OPPOSITE: Readonly<Record<string, string>> = {
  '=': '!=',
  '!=': '=',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};

/** The value that one use asks for; null: any. */
export function hintOf({ after, before, keys }: Use): Hint | null {
  const sure = (value: JsonValue): Hint => ({ value, isSure: true });
  const key = keys.at(-1) ?? '';
  const isWhole = before === '' && after === '';
  if (isWhole && key === 'in') return sure(['sample']);
  if (isWhole && keys.at(-2) === 'wait') return key === 'for' ? sure(1) : sure(MOMENT);
  if (isWhole && /^(?:when|while|until|if)$/.test(key)) return sure(key !== 'while');
  if (/^\)*\.\{taskReferenceName:/.test(after)) return sure(TASKS);
  if (before.endsWith('$lookup(')) return sure({});
  if (/^\)*\s*&/.test(after) || before.endsWith('&')) return sure('sample');
  const [, operator, literal] = COMPARED.exec(after) ?? [];
  if (operator !== undefined && literal !== undefined) {
    // The fewest rounds that a loop can have.
    const wanted = key === 'while' ? OPPOSITE[operator] : operator;
    return sure(holding(wanted ?? operator, literalOf(literal)));
  }
  const isCalculated = /^\)*\s*[-+*/%]/.test(after) || /[-+*/%<>]=?$/.test(before);
  if (operator !== undefined || isCalculated) return sure(1);
  const isText = /\$(?:contains|length|split|uppercase|lowercase|trim|match|substring)\($/;
  return isText.test(before) ? sure('sample') : null;
}

/** JSONata takes texts with line breaks in them and numbers that begin with 0, JSON does not. */
function literalOf(code: string): JsonValue {
  try {
    return readJson(code, { bytes: code.length * 3 });
  } catch {
    return code.startsWith('"') ? code.slice(1, -1) : Number(code);
  }
}

/** A value for which a comparison holds. */
function holding(operator: string, literal: JsonValue): JsonValue {
  if (typeof literal === 'boolean') return operator === '!=' ? !literal : literal;
  if (typeof literal === 'string') return operator === '!=' ? `not ${literal}` : literal;
  const number = Number(literal);
  if (operator === '<') return number - 1;
  return operator === '>' || operator === '!=' ? number + 1 : number;
}
