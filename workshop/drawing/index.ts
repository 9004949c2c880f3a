export { dotOf } from './dot.js';
export { type DrawnStep, drawnSteps } from './flow-graph.js';
export { mermaidOf } from './mermaid.js';
export { svgOf } from './svg.js';
