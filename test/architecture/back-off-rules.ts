import ts from 'typescript';
import { at, isSpec, nodesIn, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

/** Where a wait that grows is worked out, and where nobody waits. */
const FREE =
  /^(libs\/core\/src\/task\/retry-delay\.ts$|(libs\/testing|apps\/console|bench|examples|templates|test|bin|scripts)\/)/;

/** Names of waits. */
const WAIT = /(wait|delay|pause|back-?off|interval)(s|ms|seconds)?$/i;
/** Names of what a wait grows with. */
const COUNT = /^(nth|.*(failures|conflicts|returns|retries|tries))$/i;

/**
 * How long to wait after a number of failures has one place: `growingDelay` of `libs/core`. Found
 * are waits that grow by themselves: powers, waits that are multiplied where they are kept, and
 * products of a count.
 */
export function ownBackOff(unit: SourceUnit): string[] {
  if (FREE.test(unit.path) || isSpec(unit) || !/\.tsx?$/.test(unit.path)) return [];
  return nodesOf(unit.tree).flatMap((node) => {
    const found = growthOf(node);
    return found === undefined ? [] : [at(unit, node, `has a back-off of its own: ${found}`)];
  });
}

function growthOf(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node) && node.expression.getText() === 'Math.pow') return 'Math.pow';
  if (!ts.isBinaryExpression(node)) return undefined;
  const { left, operatorToken, right } = node;
  switch (operatorToken.kind) {
    case ts.SyntaxKind.AsteriskAsteriskToken:
      return ts.isNumericLiteral(right) ? undefined : 'a power';
    case ts.SyntaxKind.AsteriskEqualsToken:
    case ts.SyntaxKind.LessThanLessThanEqualsToken:
      return WAIT.test(nameOf(left)) ? 'a wait that is multiplied' : undefined;
    case ts.SyntaxKind.AsteriskToken:
      return [left, right].some((part) => COUNT.test(nameOf(part))) ? 'a count' : undefined;
    case ts.SyntaxKind.EqualsToken:
      return WAIT.test(nameOf(left)) && multiplies(right, left.getText())
        ? 'a wait that is multiplied'
        : undefined;
    default:
      return undefined;
  }
}

/** `firstMs` of `settings.firstMs`; empty where it has none. */
function nameOf(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) ? node.name.text : '';
}

/** Whether an expression has a product of what the text names. */
function multiplies(node: ts.Node, named: string): boolean {
  return nodesIn(node).some(
    (part) =>
      ts.isBinaryExpression(part) &&
      part.operatorToken.kind === ts.SyntaxKind.AsteriskToken &&
      [part.left, part.right].some((factor) => factor.getText() === named),
  );
}
