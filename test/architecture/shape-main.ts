/** `npm run shape`: figures of the whole code beside their bounds. */
import { Code, type Figure, FIGURES } from './shape.js';
import { readSourceTree } from './source-tree.js';

function lineOf({ bound, name }: Figure, today: number): string {
  const cells = [today, bound].map((n) => n.toLocaleString('en').padStart(8));
  return `${name.padEnd(48)}${cells.join('')}${today > bound ? '  exceeded' : ''}`;
}

const code = new Code(readSourceTree);
const head = `${'figure'.padEnd(48)}${'today'.padStart(8)}${'bound'.padStart(8)}`;
console.log([head, ...FIGURES.map((figure) => lineOf(figure, figure.measure(code)))].join('\n'));
