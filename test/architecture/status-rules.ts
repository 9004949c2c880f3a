import ts from 'typescript';
import { at, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

const ORDERS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
]);

/** Elsewhere a `status` may be one of HTTP. */
const STATUS_IS_OF_TASK = /^libs\/(core|engine|ports|store-\w+|testing)\//;

/**
 * The numbers of public status have no order: a new one may mean anything. A task's direction, hold
 * and outcome decide its next move.
 */
export function orderedStatus(unit: SourceUnit): string[] {
  if (unit.path === 'libs/core/src/task/status.ts') return [];
  const isOfTask = STATUS_IS_OF_TASK.test(unit.path);
  return nodesOf(unit.tree).flatMap((node) => {
    if (!ts.isBinaryExpression(node) || !ORDERS.has(node.operatorToken.kind)) return [];
    const sides = [node.left, node.right].map((side) => side.getText());
    const isStatus = sides.some((side) => {
      return /\bTASK_STATUS\b/.test(side) || (isOfTask && /(^|\.)status$/.test(side));
    });
    return isStatus ? [at(unit, node, 'compares numbers of status by their order')] : [];
  });
}
