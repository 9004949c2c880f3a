import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { REPOSITORY } from '../docs/pages.js';

const FOLDERS = [
  'apps',
  'bench',
  'bin',
  'examples',
  'libs',
  'scripts',
  'templates',
  'test',
  'workshop',
];
const LEFT_OUT = new Set(['node_modules', 'dist', 'fixtures', 'vendor']);
const CODE = /\.(tsx?|mjs|js)$/;

/** One source file, as the rules see it. */
export interface SourceUnit {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** Returns the violations of a rule in a file: one line each, starting with `path:line`. */
export type Rule = (unit: SourceUnit) => string[];

let known: readonly SourceUnit[] | undefined;

/** Every source file of the repository: read once in a process, as specs share theirs. */
export function readSourceTree(): readonly SourceUnit[] {
  known ??= FOLDERS.flatMap(listFiles)
    .filter((file) => CODE.test(file))
    .map((file) => parse(file, readFileSync(path.join(REPOSITORY, file), 'utf8')));
  return known;
}

/** Every file and folder, whatever it holds. */
export function readPaths(): string[] {
  return FOLDERS.flatMap(listFiles);
}

/** A file that exists only in a rule's own test. */
export function parse(file: string, text: string): SourceUnit {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true, kindOf(file));
  return { path: file, text, tree };
}

export function isSpec(unit: SourceUnit): boolean {
  return /[.-]spec\.ts$/.test(unit.path);
}

/** The file of a door: `#core`, `#core/stored`, `#seams/node`, `#workshop/drill`. */
export function doorOf(specifier: string): string | undefined {
  const [, group, name, library] =
    /^#(?:(core|seams|workshop)\/([^/]+)|([^/]+))$/.exec(specifier) ?? [];
  if (group === 'core') return `libs/core/src/${name}/index.ts`;
  if (group === 'seams') return `libs/seams/src/${name}.ts`;
  if (group === 'workshop') return `workshop/${name}/index.ts`;
  return library === undefined ? undefined : `libs/${library}/src/index.ts`;
}

/** Whether it runs for users: neither specs and what they share, nor the library for tests. */
export function isProduct(unit: SourceUnit): boolean {
  return /^(libs|apps|workshop)\/(?!testing\/)/.test(unit.path) && !isSpec(unit);
}

/** `path:line what`, the form in which every rule speaks. */
export function at(unit: SourceUnit, node: ts.Node, what: string): string {
  const { line } = unit.tree.getLineAndCharacterOfPosition(node.getStart(unit.tree));
  return `${unit.path}:${line + 1} ${what}`;
}

const nodes = new WeakMap<ts.Node, readonly ts.Node[]>();

/** Every node of a file, outermost first. */
export function nodesOf(tree: ts.SourceFile): readonly ts.Node[] {
  const found = nodes.get(tree) ?? nodesIn(tree);
  nodes.set(tree, found);
  return found;
}

/** A node and every node in it, outermost first. */
export function nodesIn(node: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (one: ts.Node): void => {
    found.push(one);
    ts.forEachChild(one, visit);
  };
  visit(node);
  return found;
}

/** A comment in words, without the marks of its kind. */
export interface Comment {
  readonly pos: number;
  /** The number of lines that it takes. */
  readonly lines: number;
  readonly words: string;
}

/** Every comment of a file, in the order of their places. Texts that look like one are none. */
export function commentsOf({ text, tree }: SourceUnit): Comment[] {
  const texts = nodesOf(tree)
    .filter(isText)
    .map((node) => ({ start: ts.isJsxText(node) ? node.pos : node.getStart(tree), end: node.end }))
    .toSorted((a, b) => a.start - b.start);
  const comments: Comment[] = [];
  const mark = /\/\/.*|\/\*[^]*?\*\//g;
  let next = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const { 0: comment, index: pos } = found;
    while (texts[next] !== undefined && texts[next]!.end <= pos) next += 1;
    const around = texts[next];
    if (around !== undefined && around.start <= pos) mark.lastIndex = around.end;
    else comments.push({ pos, lines: comment.split('\n').length, words: wordsOf(comment) });
  }
  return comments;
}

function isText(node: ts.Node): boolean {
  if (ts.isLiteralExpression(node) || ts.isJsxText(node)) return true;
  return ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}

function wordsOf(comment: string): string {
  const bare = comment.replace(/^\/\/|^\/\*+|\*\/$/g, '').replaceAll(/^\s*\*/gm, '');
  return bare.replaceAll(/\s+/g, ' ').trim();
}

function kindOf(file: string): ts.ScriptKind {
  if (file.endsWith('.tsx')) return ts.ScriptKind.TSX;
  return file.endsWith('.ts') ? ts.ScriptKind.TS : ts.ScriptKind.JS;
}

function listFiles(folder: string): string[] {
  return listEntries(folder).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : listFiles(file);
    return [file];
  });
}

function listEntries(folder: string) {
  try {
    return readdirSync(path.join(REPOSITORY, folder), { withFileTypes: true });
  } catch {
    return [];
  }
}
