import { plainLine } from '#wording';
import { type DrawnStep, edgesOf, LEGEND, type Tone, tonesIn } from './flow-graph.js';

/** A graph in the language of Graphviz. */
export function dotOf(steps: readonly DrawnStep[]): string {
  const clusters = new Set(clustersIn(steps));
  const edges = edgesOf(steps).map(({ from, kind, to }) => {
    const marks = [
      ...(kind === 'back' ? ['style=dashed'] : []),
      ...(kind === 'ahead' ? [`color="${LEGEND.ahead['line']}"`] : []),
      ...(clusters.has(from) ? [`ltail=cluster_${from}`] : []),
      ...(clusters.has(to) ? [`lhead=cluster_${to}`] : []),
    ];
    return `  ${from} -> ${to}${marks.length === 0 ? '' : ` [${marks.join(', ')}]`};`;
  });
  return [
    'digraph flow {',
    '  compound=true;',
    '  node [shape=box, fontname="sans-serif"];',
    ...steps.flatMap((step) => stepLines(step, '  ')),
    ...edges,
    ...legendLines(steps),
    '}',
  ].join('\n');
}

function clustersIn(steps: readonly DrawnStep[]): readonly string[] {
  return steps.flatMap(({ id, lists }) => {
    const inner = lists.flatMap((list) => clustersIn(list.steps));
    return lists.length === 0 ? inner : [id, ...inner];
  });
}

/** The colours of states, in the drawing of a task. */
function legendLines(steps: readonly DrawnStep[]): readonly string[] {
  const tones = tonesIn(steps);
  if (tones.length === 0) return [];
  const entries = tones.map((tone) => {
    return `    legend_${tone} [label="${LEGEND[tone]['word']}"${fillOf(tone)}];`;
  });
  return ['  subgraph cluster_legend {', '    label="legend";', ...entries, '  }'];
}

function fillOf(tone: Tone, style = 'filled'): string {
  if (tone === 'plain') return '';
  const { fill, line } = LEGEND[tone];
  return `, style="${style}", fillcolor="${fill}", color="${line}"`;
}

function stepLines(step: DrawnStep, indent: string): readonly string[] {
  const { id, lines, lists, name, tone, undo } = step;
  const label = quoted([name, ...lines]);
  const way =
    undo === null
      ? []
      : [`${indent}${undo.id} [label=${quoted(undo.lines)}${undoStyle(undo.tone)}];`];
  if (lists.length === 0) return [`${indent}${id} [label=${label}${fillOf(tone)}];`, ...way];
  const inner = lists.flatMap((list) => [
    `${indent}  subgraph cluster_${list.id} {`,
    `${indent}    label=${quoted([list.title])};`,
    ...list.steps.flatMap((step) => stepLines(step, `${indent}    `)),
    `${indent}  }`,
  ]);
  // Edges end at nodes only: an invisible one stands for the cluster.
  const anchor = `${indent}  ${id} [shape=point, style=invis];`;
  return [
    `${indent}subgraph cluster_${id} {`,
    `${indent}  label=${label};`,
    ...(tone === 'plain' ? [] : [`${indent}  color="${LEGEND[tone]['line']}";`]),
    anchor,
    ...inner,
    `${indent}}`,
    ...way,
  ];
}

function undoStyle(tone: Tone): string {
  return tone === 'plain' ? ', style=rounded' : fillOf(tone, 'rounded,filled');
}

function quoted(lines: readonly string[]): string {
  const safe = lines.map((line) => plainLine(line).replaceAll(/["\\]/g, (mark) => `\\${mark}`));
  return `"${safe.join('\\n')}"`;
}
