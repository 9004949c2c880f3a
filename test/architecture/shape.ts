import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { type Page, readPages, REPOSITORY } from '../docs/pages.js';
import { phrasesOf } from './dialect-rules.js';
import { methodCount, publicNames, type SourceIndex } from './door-rules.js';
import { circlesOf, targetOf } from './graph-rules.js';
import { importsOf } from './layer-rules.js';
import { commentsOf, isProduct, nodesOf, type SourceUnit } from './source-tree.js';

/** A figure of the whole code, and the most that it may be. */
export interface Figure {
  readonly name: string;
  readonly bound: number;
  measure(code: Code): number;
}

/** Imports between files, by path. */
type Arrows = ReadonlyMap<string, readonly string[]>;

const CORE = 'libs/core/src/';
const DOOR = `${CORE}index.ts`;
/** The thread of the embedded store. */
const THREAD = 'libs/store-sqlite/src/worker/main.ts';
/** A process that works out expressions. */
const EVALUATION = 'libs/expressions/src/evaluation/worker.ts';
const SMALL_LINES = 40;
/** The processes of a deployment: the gateway and the executors. */
const DEPLOYED = ['oss', 'resource', 'mysql', 'monitor', 'http', 'lab'];
/** The ports that a store implements. */
const STORE_PORT = /(Store|StoreBackup|AuditLog|ExecutorRegistry|StartedTasks)$/;
const OPTIONS = /(Options|Services|Dependencies|Environment)$/;
const BEFORE_A_CHANGE = /^(docs\/adr\/.*|CHANGELOG\.md|ARCHITECTURE\.md|CONTRIBUTING\.md)$/;

/** The code as figures need it; each part is made when a figure first asks for it. */
export class Code {
  readonly #read: () => readonly SourceUnit[];
  #units: readonly SourceUnit[] | undefined;
  #arrows: Arrows | undefined;

  constructor(read: () => readonly SourceUnit[]) {
    this.#read = read;
  }

  get units(): readonly SourceUnit[] {
    return (this.#units ??= this.#read());
  }

  get product(): readonly SourceUnit[] {
    return this.units.filter(isProduct);
  }

  get core(): readonly SourceUnit[] {
    return this.product.filter((unit) => unit.path.startsWith(CORE));
  }

  get index(): SourceIndex {
    return new Map(this.units.map((unit) => [unit.path, unit]));
  }

  /** Of the product alone. */
  get arrows(): Arrows {
    return (this.#arrows ??= arrowsOf(this.product, this.index));
  }
}

/** Every figure with its bound, in the order in which people read them. */
export const FIGURES: readonly Figure[] = [
  figure('lines of the product', 157_500, (code) => linesOf(code.product)),
  figure('lines that gateway and executors load', 112_500, (code) => linesOf(loaded(code))),
  figure('files that the thread of a store loads', 40, (code) => loadedBy(THREAD, code).size),
  figure('files that an evaluation loads', 50, (code) => loadedBy(EVALUATION, code).size),
  figure('files of the product', 1475, (code) => code.product.length),
  figure('files of 40 lines or less with one user', 60, smallFiles),
  figure('methods of the ports of stores', 50, storeMethods),
  figure('members of the largest options', 12, largestOptions),
  figure('floors of the core', 13, floorsOfCore),
  figure('files in the largest circle of the core', 0, largestCircle),
  figure('weak maps of the core', 2, (code) => sum(code.core.map(weakMaps))),
  figure('names that the core exports', 150, exportsOfCore),
  figure('lines of the scripts', 800, scriptLines),
  figure('words before the first change', 12_000, wordsBeforeChange),
  figure('phrases of dialect in 1,000 lines of comments', 20, dialectShare),
];

function figure(name: string, bound: number, measure: Figure['measure']): Figure {
  return { name, bound, measure };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function linesOf(units: readonly SourceUnit[]): number {
  return sum(units.map(lineCount));
}

function lineCount({ text }: SourceUnit): number {
  return text.trimEnd().split('\n').length;
}

function arrowsOf(product: readonly SourceUnit[], index: SourceIndex): Arrows {
  return new Map(product.map((unit) => [unit.path, targetsIn(unit, index)]));
}

/** The files that a file imports, each once; `isMeant`: those by such imports alone. */
function targetsIn(
  unit: SourceUnit,
  index: SourceIndex,
  isMeant: (node: ts.Node) => boolean = () => true,
): string[] {
  const imports = importsOf(unit).filter(({ node }) => isMeant(node));
  const found = imports.map(({ specifier }) => targetOf(unit.path, specifier, index));
  return [...new Set(found.filter((file) => file !== undefined))];
}

/** The files that the entries of the deployed processes lead to. */
function loaded({ arrows, product }: Code): SourceUnit[] {
  const entries = DEPLOYED.map((app) => `apps/${app}/src/main.ts`);
  const found = reached(entries, (file) => arrows.get(file) ?? []);
  return product.filter((unit) => found.has(unit.path));
}

/** The entries, and all that they lead to. */
function reached(
  entries: readonly string[],
  targets: (file: string) => readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    waiting.push(...targets(file));
  }
  return found;
}

/** Each start of a process waits for these, and each file of them takes a millisecond. */
function loadedBy(entry: string, { index }: Code): ReadonlySet<string> {
  return reached([entry], (file) => {
    const unit = index.get(file);
    return unit === undefined ? [] : targetsIn(unit, index, isOfValues);
  });
}

/** Whether an import or export is of more than types: it is there when the code runs. */
function isOfValues(node: ts.Node): boolean {
  if (ts.isExportDeclaration(node)) {
    const { exportClause, isTypeOnly } = node;
    const names = exportClause && ts.isNamedExports(exportClause) ? exportClause.elements : null;
    return !isTypeOnly && (names === null || names.some((name) => !name.isTypeOnly));
  }
  if (!ts.isImportDeclaration(node)) return true;
  const { importClause } = node;
  const bindings = importClause?.namedBindings;
  const names = bindings && ts.isNamedImports(bindings) ? bindings.elements : null;
  const isOnlyTypes = importClause?.name === undefined && names?.every((name) => name.isTypeOnly);
  return importClause?.isTypeOnly !== true && isOnlyTypes !== true;
}

function smallFiles({ arrows, product }: Code): number {
  const users = new Map<string, number>();
  for (const file of [...arrows.values()].flat()) users.set(file, (users.get(file) ?? 0) + 1);
  const isSmall = (unit: SourceUnit): boolean => lineCount(unit) <= SMALL_LINES;
  return product.filter((unit) => isSmall(unit) && users.get(unit.path) === 1).length;
}

function interfacesOf(units: readonly SourceUnit[], name: RegExp): ts.InterfaceDeclaration[] {
  const all = units.flatMap(({ tree }) => tree.statements.filter(ts.isInterfaceDeclaration));
  return all.filter((one) => name.test(one.name.text));
}

function storeMethods({ units }: Code): number {
  const ports = units.filter((unit) => unit.path.startsWith('libs/ports/src/'));
  return sum(interfacesOf(ports, STORE_PORT).map(methodCount));
}

function largestOptions({ product }: Code): number {
  return Math.max(...interfacesOf(product, OPTIONS).map(({ members }) => members.length));
}

/** The longest way down through files and folders of the core; those in a circle count as one. */
function floorsOfCore(code: Code): number {
  const rooms = roomsOf(code);
  const circles = circlesOf(rooms);
  const depths = new Map<string, number>();
  const depthOf = (room: string): number => {
    const known = depths.get(room);
    if (known !== undefined) return known;
    const circle = circles.find((one) => one.includes(room)) ?? [room];
    const below = circle.flatMap((one) => rooms.get(one) ?? []);
    const depth = 1 + Math.max(0, ...below.filter((one) => !circle.includes(one)).map(depthOf));
    for (const one of circle) depths.set(one, depth);
    return depth;
  };
  return Math.max(...[...rooms.keys()].map(depthOf));
}

/** The files and folders of the core, and which of them each imports; its door is none. */
function roomsOf({ arrows, core }: Code): Arrows {
  const roomOf = (file: string): string => file.slice(CORE.length).split('/')[0] ?? file;
  const rooms = new Map<string, string[]>();
  for (const { path: file } of core) {
    if (file === DOOR) continue;
    const targets = (arrows.get(file) ?? []).filter((target) => target.startsWith(CORE));
    const others = targets.map(roomOf).filter((room) => room !== roomOf(file));
    rooms.set(roomOf(file), [...new Set([...(rooms.get(roomOf(file)) ?? []), ...others])]);
  }
  return rooms;
}

function largestCircle({ arrows, core }: Code): number {
  const circles = circlesOf(new Map(core.map(({ path: file }) => [file, arrows.get(file) ?? []])));
  return Math.max(0, ...circles.map((circle) => circle.length));
}

function exportsOfCore({ index }: Code): number {
  const door = index.get(DOOR);
  return door ? publicNames(door, index).length : 0;
}

function weakMaps(unit: SourceUnit): number {
  const isWeak = (node: ts.Node): boolean =>
    ts.isNewExpression(node) && node.expression.getText(unit.tree) === 'WeakMap';
  return nodesOf(unit.tree).filter(isWeak).length;
}

function scriptLines(): number {
  const folder = path.join(REPOSITORY, 'scripts');
  const texts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return sum(texts.map((text) => text.trimEnd().split('\n').length));
}

/** The pages that a successor reads before the first change. */
export function pagesBeforeChange(): Page[] {
  return readPages().filter((page) => BEFORE_A_CHANGE.test(page.path));
}

function wordsBeforeChange(): number {
  return sum(pagesBeforeChange().map(({ text }) => text.trim().split(/\s+/).length));
}

function dialectShare({ product }: Code): number {
  const comments = product.flatMap((unit) => commentsOf(unit));
  const phrases = sum(comments.map(({ words }) => phrasesOf(words).length));
  return Math.round((1000 * phrases) / sum(comments.map(({ lines }) => lines)));
}
