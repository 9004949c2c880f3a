import type { JsonObject, JsonValue } from '#core';
import { enclosed, literal } from '../code.js';
import { below, isObject, listIn, memberOf, textIn } from '../source.js';
import { codeOf } from './data.js';
import { readReference, readText, type Sight } from './values.js';

/** JSONata for the rule of a choice; null: it cannot be said. */
export function readRule(rule: JsonObject, sight: Sight, pointer: string): string | null {
  const condition = textIn(rule, 'Condition');
  if (sight.isJsonata || condition !== undefined) {
    return condition === undefined ? null : codeOf(readText(condition, sight, pointer));
  }
  for (const [name, word] of [
    ['And', 'and'],
    ['Or', 'or'],
  ] as const) {
    if (!Object.hasOwn(rule, name)) continue;
    const rules = listIn(rule, name).map((each, n) => {
      return isObject(each) ? readRule(each, sight, below(below(pointer, name), n)) : null;
    });
    if (rules.length === 0 || rules.includes(null)) return null;
    return `(${rules.join(` ${word} `)})`;
  }
  const not = memberOf(rule, 'Not');
  if (isObject(not)) {
    const inner = readRule(not, sight, below(pointer, 'Not'));
    return inner === null ? null : `$not(${inner})`;
  }
  return readTest(rule, sight, pointer);
}

function readTest(rule: JsonObject, sight: Sight, pointer: string): string | null {
  const variable = textIn(rule, 'Variable');
  const test = Object.entries(rule).find(([name]) => TEST.test(name) || TYPE_TESTS.has(name));
  if (variable === undefined || test === undefined) return null;
  const left = enclosed(codeOf(readReference(variable, sight, below(pointer, 'Variable'))));
  const [name, value] = test;
  const ask = TYPE_TESTS.get(name);
  if (ask !== undefined) return value === false ? `$not(${ask(left)})` : ask(left);
  const [, type = '', operator = '', path] = TEST.exec(name) ?? [];
  if (operator === 'Matches') return matches(left, value);
  const at = below(pointer, name);
  const right =
    path === undefined
      ? literal(value ?? null)
      : enclosed(codeOf(readReference(typeof value === 'string' ? value : '', sight, at)));
  const sign = SIGNS.get(operator);
  if (sign === undefined) return null;
  if (type !== 'Timestamp') return `${left} ${sign} ${right}`;
  return `$toMillis(${left}) ${sign} $toMillis(${right})`;
}

const TEST =
  /^(String|Numeric|Boolean|Timestamp)(Equals|LessThanEquals|LessThan|GreaterThanEquals|GreaterThan|Matches)(Path)?$/;

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['Equals', '='],
  ['LessThan', '<'],
  ['LessThanEquals', '<='],
  ['GreaterThan', '>'],
  ['GreaterThanEquals', '>='],
]);

const typed = (type: string) => (code: string) => `$type(${code}) = "${type}"`;

const TYPE_TESTS: ReadonlyMap<string, (code: string) => string> = new Map([
  ['IsPresent', (code: string) => `$exists(${code})`],
  ['IsNull', typed('null')],
  ['IsString', typed('string')],
  ['IsNumeric', typed('number')],
  ['IsBoolean', typed('boolean')],
]);

/** `*` stands for any text, `\*` for a star. */
function matches(left: string, value: JsonValue | undefined): string | null {
  if (typeof value !== 'string') return null;
  const parts = value.split(/(?<!\\)\*/).map((part) => {
    return part.replace(/\\([*\\])/g, '$1').replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  });
  return `$contains(${left}, /^${parts.join('.*')}$/)`;
}
