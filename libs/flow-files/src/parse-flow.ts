import { joinPointer } from './json-pointer.js';
import { parseFlowFile, type ParsedFlow, type ParseOptions } from './parse-flow-file.js';
import type { Problem } from './problem.js';
import { readJson } from './read-json.js';

/** One flow on its own: sound, or what is wrong with it. */
export type FlowReading =
  | { readonly kind: 'sound'; readonly flow: ParsedFlow }
  | { readonly kind: 'unsound'; readonly problems: readonly Problem[] };

/**
 * Reads the text of one flow, without the file around it: its list of steps, or the object that has
 * them. Pointers, lines and columns are those of the text. Never throws.
 */
export function parseFlow(name: string, text: string, options: ParseOptions = {}): FlowReading {
  const alone = readJson(text);
  // Else a text could close the object that is put around it, and open something of its own.
  if (alone.kind === 'unreadable') return { kind: 'unsound', problems: [alone.problem] };
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const file = parseFlowFile(`{${JSON.stringify(name)}:\n${plain}\n}`, options);
  const pointer = joinPointer('', name);
  const [flow] = file.flows;
  if (flow === undefined || file.problems.length > 0) {
    return { kind: 'unsound', problems: file.problems.map((problem) => inText(problem, pointer)) };
  }
  const warnings = flow.warnings.map((problem) => inText(problem, pointer));
  const starts = flow.starts.map((start) => ({ ...start, pointer: withoutFlow(start, pointer) }));
  return { kind: 'sound', flow: { ...flow, line: 1, warnings, starts } };
}

/** The name and what is around the flow stand on a line of their own before the text. */
function inText(problem: Problem, around: string): Problem {
  const pointer = withoutFlow(problem, around);
  if (problem.line === 1) return { ...problem, pointer, column: 1 };
  return { ...problem, pointer, line: problem.line - 1 };
}

function withoutFlow({ pointer }: { readonly pointer: string }, around: string): string {
  return pointer.startsWith(around) ? pointer.slice(around.length) : pointer;
}
