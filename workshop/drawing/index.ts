export { dotOf } from './dot.js';
export { graphOf, type GraphStep } from './flow-graph.js';
export { mermaidOf } from './mermaid.js';
export { svgOf } from './svg.js';
