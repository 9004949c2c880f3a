import ts from 'typescript';
import { at, isSpec, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

const PRODUCT = /^(libs|apps|workshop)\//;
const SEAMS = /^libs\/(seams|testing)\//;
/** The console is made of npm packages alone, so it has a seam of its own. */
export const CONSOLE_SEAM = 'apps/console/src/ui/virtual-list.ts';
/** MongoDB's own name for the key of a document. */
const PUBLIC = new Set(['_id']);

/**
 * Places that take hold of the insides of a package or of Node: a member that is private by its
 * name, a method put into another's prototype, a file behind a package's door, a flag of V8.
 */
export function handOutsideSeams(unit: SourceUnit): string[] {
  if (!PRODUCT.test(unit.path) || SEAMS.test(unit.path) || isSpec(unit)) return [];
  if (unit.path === CONSOLE_SEAM) return [];
  return nodesOf(unit.tree).flatMap((node) => {
    const hand = handIn(node);
    return hand === undefined ? [] : [at(unit, node, `${hand}: this belongs to libs/seams`)];
  });
}

function handIn(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node) && /^(createRequire|setFlagsFromString)$/.test(node.text)) {
    return `uses ${node.text}`;
  }
  if (ts.isPropertyAccessExpression(node) && /^_\w/.test(node.name.text)) {
    return PUBLIC.has(node.name.text) ? undefined : `reads ${node.name.text}`;
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) {
    return undefined;
  }
  const { left } = node;
  const isPatch = ts.isPropertyAccessExpression(left) && /\bprototype$/.test(textOf(left));
  return isPatch ? 'replaces a method of a prototype' : undefined;
}

function textOf({ expression }: ts.PropertyAccessExpression): string {
  return expression.getText();
}
