import ts from 'typescript';
import { at, commentsOf, isSpec, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

export const FILE_LINES_MAX = 400;
export const SPEC_LINES_MAX = 600;
export const FUNCTION_LINES_MAX = 50;
export const LINE_LENGTH_MAX = 100;
export const PARAMETERS_MAX = 3;

/** A line may be long for a string of this length: broken in two, it cannot be searched for. */
const LONG_STRING = 60;
const EMPTY_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc']);
/** The first word of a sentence that has no subject, or that names a thing by a question. */
const SUBJECTLESS = /(?:^|[.!?] )(?:Is|Told|What|Who|Whom|Whose)\b/;
const SUITE = /^(describe|it|test|beforeEach|afterEach|beforeAll|afterAll)$/;

export function fileLength(unit: SourceUnit): string[] {
  const lines = unit.text.trimEnd().split('\n').length;
  const max = isSpec(unit) ? SPEC_LINES_MAX : FILE_LINES_MAX;
  return lines > max ? [`${unit.path}:1 has ${lines} lines, at most ${max}`] : [];
}

/** Suites and tests inside a function count for themselves, not for what surrounds them. */
export function functionLength(unit: SourceUnit): string[] {
  const suites = nodesOf(unit.tree).filter(isSuiteCallback);
  return functionsOf(unit).flatMap((fn) => {
    const inner = suites.filter((node) => contains(fn, node));
    const outermost = inner.filter((node) => !inner.some((other) => contains(other, node)));
    const lines = outermost.reduce((sum, node) => sum - linesOf(unit, node), linesOf(unit, fn));
    if (lines <= FUNCTION_LINES_MAX) return [];
    return [at(unit, fn, `function has ${lines} lines, at most ${FUNCTION_LINES_MAX}`)];
  });
}

export function lineLength(unit: SourceUnit): string[] {
  const excused = excusedLines(unit);
  return unit.text.split('\n').flatMap((line, index) => {
    if (line.length <= LINE_LENGTH_MAX || /https?:\/\//.test(line)) return [];
    if (excused.has(index)) return [];
    return [`${unit.path}:${index + 1} has ${line.length} characters, at most ${LINE_LENGTH_MAX}`];
  });
}

/** Constructors are given what they need one by one; a decorated parameter names its own source. */
export function parameterCount(unit: SourceUnit): string[] {
  return nodesOf(unit.tree).flatMap((node) => {
    if (!isCallable(node) || ts.isConstructorDeclaration(node)) return [];
    const plain = node.parameters.filter((parameter) => !ts.getDecorators(parameter)?.length);
    if (plain.length <= PARAMETERS_MAX) return [];
    return [at(unit, node, `takes ${plain.length} parameters, at most ${PARAMETERS_MAX}`)];
  });
}

/** A name that says nothing gathers what has no place: every word of every path is looked at. */
export function emptyName(file: string): string[] {
  const words = file.split(/[/.\-_]/);
  const bad = words.find((word) => EMPTY_NAMES.has(word.toLowerCase()));
  return bad === undefined ? [] : [`${file} is named "${bad}"`];
}

/** A sentence of a comment begins with its subject, or with the verb of what the code does. */
export function subjectlessComment(unit: SourceUnit): string[] {
  return commentsOf(unit).flatMap(({ pos, words }) => {
    const start = SUBJECTLESS.exec(words);
    if (start === null) return [];
    const { line } = unit.tree.getLineAndCharacterOfPosition(pos);
    const said = words
      .slice(start.index)
      .replace(/^[.!?] /, '')
      .slice(0, 30);
    return [`${unit.path}:${line + 1} says "${said}"`];
  });
}

/** Tests wait for signals. `clock.sleep` on a simulated clock is not a sleep. */
export function sleepInSpec(unit: SourceUnit): string[] {
  if (!isSpec(unit) || unit.path.startsWith('libs/testing/')) return [];
  return nodesOf(unit.tree).flatMap((node) => {
    if (ts.isImportDeclaration(node) && /["']node:timers/.test(node.moduleSpecifier.getText())) {
      return [at(unit, node, 'imports timers')];
    }
    if (!ts.isCallExpression(node)) return [];
    const called = node.expression.getText().replace(/^globalThis\./, '');
    return /^(setTimeout|setInterval|sleep)$/.test(called)
      ? [at(unit, node, `calls ${called}`)]
      : [];
  });
}

type Callable = ts.SignatureDeclaration & { parameters: ts.NodeArray<ts.ParameterDeclaration> };

function isCallable(node: ts.Node): node is Callable {
  return ts.isFunctionLike(node) && !ts.isJSDocSignature(node);
}

function functionsOf(unit: SourceUnit): ts.Node[] {
  return nodesOf(unit.tree).filter(
    (node) => ts.isFunctionLike(node) && 'body' in node && node.body !== undefined,
  );
}

function isSuiteCallback(node: ts.Node): boolean {
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false;
  const call = node.parent;
  if (!ts.isCallExpression(call)) return false;
  const called = call.expression.getText().split(/[.(]/)[0] ?? '';
  return SUITE.test(called) || isSentence(call.arguments[0]);
}

/** A block named by a sentence is a test, whatever a contract suite calls its `it`. */
function isSentence(node: ts.Node | undefined): boolean {
  return !!node && ts.isStringLiteralLike(node) && node.text.includes(' ');
}

function contains(outer: ts.Node, inner: ts.Node): boolean {
  return outer !== inner && outer.pos <= inner.pos && inner.end <= outer.end;
}

function linesOf(unit: SourceUnit, node: ts.Node): number {
  const first = unit.tree.getLineAndCharacterOfPosition(node.getStart(unit.tree)).line;
  return unit.tree.getLineAndCharacterOfPosition(node.end).line - first + 1;
}

/** Lines that cannot be made shorter: an import's path, or one long string. */
function excusedLines(unit: SourceUnit): Set<number> {
  const lines = new Set<number>();
  const lineOf = (pos: number) => unit.tree.getLineAndCharacterOfPosition(pos).line;
  for (const node of nodesOf(unit.tree)) {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      if (node.moduleSpecifier) lines.add(lineOf(node.end));
    }
    const isLiteral = ts.isLiteralExpression(node) || ts.isTemplateExpression(node);
    if (!isLiteral || node.getText(unit.tree).length < LONG_STRING) continue;
    for (let line = lineOf(node.getStart(unit.tree)); line <= lineOf(node.end); line += 1) {
      lines.add(line);
    }
  }
  return lines;
}
