import { listsIn } from '#kinds';
import { parse, type ParseError } from 'jsonc-parser';
import type { FlowStep, Json } from '../api/shapes.js';

/** A text of a flow, as far as it can be read. */
export interface ReadText {
  /** Null: the text is not JSON. */
  readonly flow: Json;
  /** Its steps, as far as they are some. */
  readonly steps: readonly FlowStep[];
}

/** Reads a text with comments and trailing commas. */
export function readText(text: string): ReadText | null {
  const errors: ParseError[] = [];
  const flow = parse(text, errors, { allowTrailingComma: true }) as Json | undefined;
  if (errors.length > 0 || flow === undefined) return null;
  return { flow, steps: stepsOf(flow) };
}

function stepsOf(flow: Json): readonly FlowStep[] {
  const list = Array.isArray(flow) ? flow : (flow as { steps?: unknown } | null)?.steps;
  return Array.isArray(list) ? (list as readonly FlowStep[]) : [];
}

/** How many steps a list has, those in steps included; counting ends at `most`. */
export function countSteps(list: unknown, most: number): number {
  if (!Array.isArray(list)) return 0;
  let count = list.length;
  for (const step of list) {
    for (const { steps } of listsIn(step)) {
      if (count > most) return count;
      count += countSteps(steps, most - count);
    }
  }
  return count;
}

/** Where the n-th line (from 1) and its column (from 1) are in a text. */
export function offsetAt(text: string, line: number, column: number): number {
  let start = 0;
  for (let n = 1; n < line; n += 1) {
    const end = text.indexOf('\n', start);
    if (end === -1) break;
    start = end + 1;
  }
  return Math.min(text.length, start + Math.max(0, column - 1));
}
