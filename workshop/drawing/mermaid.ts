import { plainLine } from '#wording';
import { type DrawnStep, edgesOf } from './flow-graph.js';

/** A graph in Mermaid's language, as pages and editors draw it. */
export function mermaidOf(steps: readonly DrawnStep[]): string {
  const edges = edgesOf(steps).map(({ from, kind, to }) => {
    return `  ${from} ${kind === 'back' ? '-.->' : '-->'} ${to}`;
  });
  return ['flowchart TD', ...steps.flatMap((step) => stepLines(step, '  ')), ...edges].join('\n');
}

function stepLines(step: DrawnStep, indent: string): readonly string[] {
  const { id, lines, lists, name, undo } = step;
  const label = quoted([name, ...lines]);
  const way = undo === null ? [] : [`${indent}${undo.id}(${quoted(undo.lines)})`];
  if (lists.length === 0) return [`${indent}${id}[${label}]`, ...way];
  const inner = lists.flatMap((list) => [
    `${indent}  subgraph ${list.id}[${quoted([list.title])}]`,
    ...list.steps.flatMap((each) => stepLines(each, `${indent}    `)),
    `${indent}  end`,
  ]);
  return [`${indent}subgraph ${id}[${label}]`, ...inner, `${indent}end`, ...way];
}

/** Marks of the language and of HTML are written as Mermaid's own escapes. */
function quoted(lines: readonly string[]): string {
  const safe = lines.map((line) => {
    return plainLine(line).replaceAll(/[#"<>&`\\]/g, (mark) => `#${mark.codePointAt(0)};`);
  });
  return `"${safe.join('<br/>')}"`;
}
