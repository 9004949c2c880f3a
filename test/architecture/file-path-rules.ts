import ts from 'typescript';
import { at, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

/** Methods by which a path is cut out of the text of a URL. */
const CUTS = /^(slice|substring|substr|replace|replaceAll|split)$/;

/**
 * The `pathname` of a file's URL is no path: a space or an umlaut in the path of the repository is
 * encoded there. `fileURLToPath` gives the path. Found are URLs that are made of `import.meta.url`
 * or of a path, in place or by a constant of the same file, and the text of `import.meta.url`.
 */
export function pathOfUrl(unit: SourceUnit): string[] {
  const nodes = nodesOf(unit.tree);
  const named = constantsOf(nodes);
  const isFile = (node: ts.Expression): boolean => isFileUrl(node, named);
  return nodes
    .filter((node) => readsPathname(node, isFile) || cutsUrl(node))
    .map((node) => at(unit, node, 'takes a part of a URL for a path: use fileURLToPath'));
}

/** Names of constants that are URLs of files; one may be made of another. */
function constantsOf(nodes: readonly ts.Node[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const node of nodes) {
    if (!ts.isVariableDeclaration(node) || node.initializer === undefined) continue;
    if (ts.isIdentifier(node.name) && isFileUrl(node.initializer, named)) named.add(node.name.text);
  }
  return named;
}

function isFileUrl(node: ts.Expression, named: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(node)) return named.has(node.text);
  if (ts.isCallExpression(node)) return node.expression.getText() === 'pathToFileURL';
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'URL') return false;
  return (node.arguments ?? []).some(
    (argument) =>
      isModuleUrl(argument) ||
      isFileUrl(argument, named) ||
      (ts.isStringLiteralLike(argument) && argument.text.startsWith('file:')),
  );
}

function isModuleUrl(node: ts.Node): boolean {
  return node.getText() === 'import.meta.url';
}

function readsPathname(node: ts.Node, isFile: (node: ts.Expression) => boolean): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    return node.name.text === 'pathname' && isFile(node.expression);
  }
  if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name)) return false;
  const takes = node.name.elements.some(
    ({ name, propertyName }) => (propertyName ?? name).getText() === 'pathname',
  );
  return takes && node.initializer !== undefined && isFile(node.initializer);
}

function cutsUrl(node: ts.Node): boolean {
  return (
    ts.isPropertyAccessExpression(node) && CUTS.test(node.name.text) && isModuleUrl(node.expression)
  );
}
