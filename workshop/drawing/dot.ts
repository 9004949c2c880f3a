import { plainLine } from '#wording';
import { edgesOf, type GraphStep } from './flow-graph.js';

/** A graph in the language of Graphviz. */
export function dotOf(steps: readonly GraphStep[]): string {
  const clusters = new Set(clustersIn(steps));
  const edges = edgesOf(steps).map(({ from, kind, to }) => {
    const marks = [
      ...(kind === 'back' ? ['style=dashed'] : []),
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
    '}',
  ].join('\n');
}

function clustersIn(steps: readonly GraphStep[]): readonly string[] {
  return steps.flatMap(({ id, lists }) => {
    const inner = lists.flatMap((list) => clustersIn(list.steps));
    return lists.length === 0 ? inner : [id, ...inner];
  });
}

function stepLines({ id, lines, lists, name, undo }: GraphStep, indent: string): readonly string[] {
  const label = quoted([name, ...lines]);
  const way =
    undo === null ? [] : [`${indent}${undo.id} [label=${quoted(undo.lines)}, style=rounded];`];
  if (lists.length === 0) return [`${indent}${id} [label=${label}];`, ...way];
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
    anchor,
    ...inner,
    `${indent}}`,
    ...way,
  ];
}

function quoted(lines: readonly string[]): string {
  const safe = lines.map((line) => plainLine(line).replaceAll(/["\\]/g, (mark) => `\\${mark}`));
  return `"${safe.join('\\n')}"`;
}
