import ts from 'typescript';
import { at, isSpec, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

const CONSOLE = /^apps\/console\/src\//;
/** Where the words of the console are. */
const WORDS = /^apps\/console\/src\/words(\.ts$|\/)/;
/** Attributes that people read or hear, whatever element has them. */
const READ_ATTRIBUTES = new Set([
  ...['alt', 'aria-description', 'aria-label', 'aria-placeholder', 'aria-roledescription'],
  ...['aria-valuetext', 'label', 'placeholder', 'title', 'words', 'dismiss', 'about', 'none'],
]);
/** Of a component of ours, these are shown; elsewhere a name is one of a form. */
const COMPONENT_ATTRIBUTES = new Set(['name', 'text', 'value']);
/** Members of objects that are shown. */
const READ_MEMBERS = new Set(['label', 'title', 'words', 'message', 'note', 'hint', 'sentences']);
/** Functions whose result is shown, by how they are called. */
const READ_FUNCTION =
  /(Words|Text|Sentences?|Title|Label)(Of)?$|^(words|text|sentences?|title|label)Of$/;
const LETTER = /\p{L}/u;
/** An identifier, such as the name of a page, is no word that is shown. */
const IDENTIFIER = /^[a-z][\w-]*$/;

/** Words after one another, the first with a capital or the last with a full stop. */
const SENTENCE = /^\p{Lu}\p{Ll}* \p{L}|\p{L} \S.*\p{L}\.$/u;

/** Texts of the console that stand elsewhere than with its words, where translators find them. */
export function wordsElsewhere(unit: SourceUnit): string[] {
  if (!CONSOLE.test(unit.path) || WORDS.test(unit.path) || isSpec(unit)) return [];
  const found = nodesOf(unit.tree).flatMap((node) => textsOf(node));
  const unique = [...new Map(found.map((one) => [one.node, one])).values()];
  return unique.map(({ node, text }) => at(unit, node, `says ${JSON.stringify(text)}`));
}

interface Text {
  readonly node: ts.Node;
  readonly text: string;
}

function textsOf(node: ts.Node): readonly Text[] {
  if (ts.isJsxText(node)) return LETTER.test(node.text) ? [{ node, text: node.text.trim() }] : [];
  if (ts.isJsxExpression(node) && isChild(node)) return literalsIn(node.expression);
  if (ts.isJsxAttribute(node)) return attributeTexts(node);
  if (ts.isPropertyAssignment(node)) {
    return READ_MEMBERS.has(node.name.getText()) ? literalsIn(node.initializer) : [];
  }
  if (ts.isReturnStatement(node)) {
    return isReadFunction(functionAround(node)) ? literalsIn(node.expression) : [];
  }
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return sentencesIn(node);
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body) && isReadFunction(node)) {
    return literalsIn(node.body);
  }
  return [];
}

/** A sentence is one wherever it stands; what is filled in is no part of it. */
function sentencesIn(node: ts.StringLiteralLike | ts.TemplateExpression): readonly Text[] {
  const parts = ts.isTemplateExpression(node)
    ? [node.head, ...node.templateSpans.map(({ literal }) => literal)]
    : [node];
  const text = parts.map((part) => part.text).join('…');
  return SENTENCE.test(text) ? [{ node, text }] : [];
}

function isChild({ parent }: ts.JsxExpression): boolean {
  return ts.isJsxElement(parent) || ts.isJsxFragment(parent);
}

function attributeTexts(node: ts.JsxAttribute): readonly Text[] {
  const name = node.name.getText();
  const tag = node.parent.parent.tagName.getText();
  const isRead = READ_ATTRIBUTES.has(name);
  const isShown = COMPONENT_ATTRIBUTES.has(name) && /^[A-Z]/.test(tag);
  if (!isRead && !isShown) return [];
  const { initializer } = node;
  const inner =
    initializer && ts.isJsxExpression(initializer) ? initializer.expression : initializer;
  const texts = literalsIn(inner);
  return isRead ? texts : texts.filter(({ text }) => !IDENTIFIER.test(text));
}

/** The texts that are the value of an expression, or parts of it; not what decides on it. */
function literalsIn(node: ts.Node | undefined): readonly Text[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node))
    return LETTER.test(node.text) ? [{ node, text: node.text }] : [];
  if (ts.isTemplateExpression(node)) {
    const fixed = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
    const parts = fixed.filter(({ text }) => LETTER.test(text));
    const own = parts.map((part): Text => ({ node: part, text: part.text }));
    return [...own, ...node.templateSpans.flatMap(({ expression }) => literalsIn(expression))];
  }
  if (ts.isConditionalExpression(node)) {
    return [...literalsIn(node.whenTrue), ...literalsIn(node.whenFalse)];
  }
  if (ts.isBinaryExpression(node)) return binaryLiterals(node);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSpreadElement(node)) {
    return literalsIn(node.expression);
  }
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(literalsIn);
  return [];
}

/** A comparison shows none of its sides; of `a && b` only the latter is shown. */
function binaryLiterals({ left, operatorToken, right }: ts.BinaryExpression): readonly Text[] {
  switch (operatorToken.kind) {
    case ts.SyntaxKind.PlusToken:
    case ts.SyntaxKind.BarBarToken:
    case ts.SyntaxKind.QuestionQuestionToken:
      return [...literalsIn(left), ...literalsIn(right)];
    case ts.SyntaxKind.AmpersandAmpersandToken:
      return literalsIn(right);
    default:
      return [];
  }
}

function functionAround(node: ts.Node): ts.Node | undefined {
  return ts.findAncestor(node, (one) => ts.isFunctionLike(one));
}

/** Whether a function is called like one whose result is shown, or is no function of its own. */
function isReadFunction(node: ts.Node | undefined): boolean {
  if (node === undefined) return false;
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) {
    return READ_FUNCTION.test(node.name?.getText() ?? '');
  }
  const { parent } = node;
  return ts.isVariableDeclaration(parent) && READ_FUNCTION.test(parent.name.getText());
}
