import ts from 'typescript';
import { at, isSpec, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

/**
 * The places that make a value of a JSON text: `json` reads the texts of others, `shape.ts` those
 * that Backstep wrote itself, both by `parseJson`. The console is made of nothing but packages of
 * npm, and tests read what they like.
 */
const READERS = new RegExp(
  [
    '^libs/json/src/(find-fault|read-json)\\.ts$',
    '^libs/core/src/json/(parse-json|shape)\\.ts$',
    '^(libs/testing|apps/console|bench|examples|templates|test|bin|scripts)/',
  ].join('|'),
);

/**
 * Calls that make a value of a JSON text without a limit, take what is there twice, and let V8
 * change names (`parseJson`). Node does so with the messages of a child process by default.
 */
export function looseJson(unit: SourceUnit): string[] {
  if (READERS.test(unit.path) || isSpec(unit) || !/\.tsx?$/.test(unit.path)) return [];
  return nodesOf(unit.tree).flatMap((node) => {
    const found = readingOf(node);
    return found === undefined ? [] : [at(unit, node, `reads JSON with ${found}`)];
  });
}

function readingOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && /^(globalThis\.)?JSON\.parse$/.test(node.getText())) {
    return 'JSON.parse';
  }
  if (!ts.isCallExpression(node)) return undefined;
  const text = node.getText();
  if (text.startsWith('parseJson(')) return 'parseJson';
  if (text.startsWith('fork(') && !text.includes("serialization: 'advanced'")) {
    return 'messages of fork()';
  }
  if (!ts.isPropertyAccessExpression(node.expression)) return undefined;
  const isBody = node.expression.name.text === 'json' && node.arguments.length === 0;
  return isBody ? 'json() of a body' : undefined;
}
