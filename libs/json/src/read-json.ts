import type { JsonValue } from '#core';
import { parseJson } from '#core/json';
import { aboutAll, textOf } from './decode-text.js';
import { findFault, type TextRules } from './find-fault.js';
import { hasOddNumbers, isDeeper, isFuller } from './json-text.js';
import { isIllFormed, isPlain, mayRepeatMember } from './plain-value.js';
import { WrongJson } from './wrong-json.js';

const DEPTH_MAX = 64;

/** Outputs of commands may be nested 500 levels, and stand in parameters of other steps. */
const OWN_DEPTH_MAX = 1_000;

/** How much of JSON is taken. */
export interface JsonLimits {
  /** Most bytes of the text, as UTF-8. */
  readonly bytes: number;
  /** Most values: members, entries, and the whole. Default: any number. */
  readonly values?: number;
  /** Deepest nesting of lists and objects. Default: 64, or 1,000 of what Backstep has stored. */
  readonly depth?: number;
  /**
   * The text holds what Backstep has stored: outputs of commands may have members named
   * `__proto__`, which stay members, and halves of surrogate pairs. Default: both are refused.
   */
  readonly isOwn?: boolean;
}

/** Smaller texts cannot be nested so deeply that reading them does harm. */
const DEPTH_SCAN_LENGTH = 16 * 1024;

/**
 * The value of a JSON text from outside. Refused is what is not JSON, what is larger or
 * deeper than the limits, a member that is there twice, and all that would be another value once it
 * is read. Takes time in proportion to the text. Throws `WrongJson`: the first mistake, where one
 * of the syntax goes before all others.
 */
export function readJson(source: string | Uint8Array, limits: JsonLimits): JsonValue {
  const stages = read(source, limits);
  for (;;) {
    const stage = stages.next();
    if (stage.done === true) return stage.value;
  }
}

/** The same of a large text: `nextTurn` is awaited before each stage. Rejects where that throws. */
export async function readJsonInTurns(
  source: string | Uint8Array,
  limits: JsonLimits,
  nextTurn: () => Promise<void>,
): Promise<JsonValue> {
  const stages = read(source, limits);
  for (;;) {
    await nextTurn();
    const stage = stages.next();
    if (stage.done === true) return stage.value;
  }
}

/**
 * Finds by quick looks that nothing is wrong, which is mostly so. Where one of them is not sure,
 * the text is gone through once more, letter by letter, which takes some times as long.
 */
function* read(
  source: string | Uint8Array,
  { bytes, isOwn = false, values, depth = isOwn ? OWN_DEPTH_MAX : DEPTH_MAX }: JsonLimits,
): Generator<undefined, JsonValue> {
  const text = textOf(source, bytes);
  if (values !== undefined && isFuller(text, values)) {
    throw aboutAll('TOO_MANY_VALUES', `The text has more than ${values} values.`);
  }
  const rules: TextRules = { depth, isOwn, stopsAtDepth: text.length > DEPTH_SCAN_LENGTH };
  if (rules.stopsAtDepth && isDeeper(text, depth)) throw faultOf(text, rules);
  if (hasOddNumbers(text)) throw faultOf(text, rules);
  yield;
  const value = parse(text, rules);
  yield;
  const hasOddText = text.includes('\\') || (typeof source === 'string' && isIllFormed(text));
  if (!isPlain(value, { depth, isOwn, hasOddText })) throw faultOf(text, rules);
  yield;
  const fault = mayRepeatMember(text, value) ? findFault(text, rules) : null;
  if (fault !== null) throw fault;
  return value;
}

function parse(text: string, rules: TextRules): JsonValue {
  try {
    return parseJson(text) as JsonValue;
  } catch {
    // Its message quotes the text.
    throw faultOf(text, rules);
  }
}

function faultOf(text: string, rules: TextRules): WrongJson {
  const sentence = 'The text is not JSON.';
  const unknown = { code: 'SYNTAX', pointer: '', place: null, sentence, hint: null } as const;
  return findFault(text, rules) ?? new WrongJson(unknown);
}
