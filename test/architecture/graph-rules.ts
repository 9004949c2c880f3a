import path from 'node:path';
import ts from 'typescript';
import type { SourceIndex } from './door-rules.js';
import { at, doorOf, isSpec, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

/** Product code: what the rules about the graph of files hold. */
const PRODUCT = /^(libs|apps|workshop)\//;
/** Where a circle of types is one as well: its files are read in the order of their arrows. */
const TYPES_COUNT = /^libs\/core\//;
/** Entries of the package besides the doors of libraries. */
const ENTRY = /\/src\/(public|testing)\.ts$/;

/** The file that a specifier leads to; undefined: a package, a JSON file, or nothing. */
export function targetOf(from: string, specifier: string, index: SourceIndex): string | undefined {
  const door = doorOf(specifier);
  if (door !== undefined) return door;
  if (!specifier.startsWith('.')) return undefined;
  const target = path.posix.join(path.posix.dirname(from), specifier);
  const candidates = [target, target.replace(/\.js$/, '.ts'), target.replace(/\.js$/, '.tsx')];
  return candidates.find((candidate) => index.has(candidate));
}

/**
 * Files that import each other in a circle by values, at once or when they need it, and in the core
 * also by types: each cycle once, as one line.
 */
export function importCycles(index: SourceIndex): string[] {
  const arrows = new Map<string, readonly string[]>();
  for (const unit of index.values()) {
    if (PRODUCT.test(unit.path) && !isSpec(unit)) arrows.set(unit.path, targetsOf(unit, index));
  }
  return circlesOf(arrows).map((files) => `${files.toSorted().join(' ')} import each other`);
}

/** The files that programs are made of: these entries, and all that they lead to. */
export function closureOf(entries: readonly string[], index: SourceIndex): ReadonlySet<string> {
  const closure = new Set(entries);
  for (const file of closure) {
    const unit = index.get(file);
    if (unit === undefined) continue;
    for (const node of nodesOf(unit.tree)) {
      const specifier = wantedOf(node)?.specifier ?? programOf(node);
      const target = specifier === undefined ? undefined : targetOf(file, specifier, index);
      if (target !== undefined) closure.add(target);
    }
  }
  return closure;
}

/** The program of a thread or process, as `new URL('./worker.js', import.meta.url)` names it. */
function programOf(node: ts.Node): string | undefined {
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'URL') return undefined;
  const specifier = node.arguments?.[0];
  return specifier && ts.isStringLiteralLike(specifier) ? specifier.text : undefined;
}

function targetsOf(unit: SourceUnit, index: SourceIndex): string[] {
  const specifierOf = TYPES_COUNT.test(unit.path) ? anySpecifier : valueSpecifier;
  return nodesOf(unit.tree).flatMap((node) => {
    const specifier = specifierOf(node);
    return specifier === undefined ? [] : (targetOf(unit.path, specifier, index) ?? []);
  });
}

function anySpecifier(node: ts.Node): string | undefined {
  return valueSpecifier(node) ?? wantedOf(node)?.specifier;
}

function valueSpecifier(node: ts.Node): string | undefined {
  if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return loadedBy(node);
  const specifier = node.moduleSpecifier;
  if (!specifier || !ts.isStringLiteral(specifier) || isTypeOnly(node)) return undefined;
  return specifier.text;
}

/** The specifier of a call of `import`, where it is written out. */
function loadedBy(node: ts.Node): string | undefined {
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const specifier = isCall ? node.arguments[0] : undefined;
  return specifier && ts.isStringLiteralLike(specifier) ? specifier.text : undefined;
}

function isTypeOnly(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause, isTypeOnly: whole } = statement;
    return whole || (!!exportClause && allTypes(exportClause));
  }
  const clause = statement.importClause;
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  return !clause.name && !!clause.namedBindings && allTypes(clause.namedBindings);
}

function allTypes(names: ts.NamedImportBindings | ts.NamedExportBindings): boolean {
  if (!ts.isNamedImports(names) && !ts.isNamedExports(names)) return false;
  const elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] = [...names.elements];
  return elements.length > 0 && elements.every((element) => element.isTypeOnly);
}

/** Strongly connected parts of more than one file, by Tarjan's algorithm. */
export function circlesOf(arrows: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.size - 1);
    stack.push(file);
    for (const next of arrows.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      else if (!stack.includes(next)) continue;
      lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const part = stack.splice(stack.indexOf(file));
    if (part.length > 1) circles.push(part);
  };
  for (const file of arrows.keys()) if (!order.has(file)) visit(file);
  return circles;
}

/**
 * Names that product code exports and no other file imports: `path:line name`. A name that a door
 * passes on is used where a file imports it from the door, or where the package exports it.
 */
export function unusedExports(index: SourceIndex): string[] {
  const used = new Set<string>();
  for (const unit of index.values()) for (const name of namesUsedBy(unit, index)) used.add(name);
  return [...index.values()].flatMap((unit) => {
    if (!PRODUCT.test(unit.path) || ENTRY.test(unit.path)) return [];
    return exportedNames(unit).flatMap(({ name, node }) => {
      const isUsed = used.has(`${unit.path} ${name}`) || used.has(`${unit.path} *`);
      return isUsed ? [] : [at(unit, node, `exports ${name}, which no other file imports`)];
    });
  });
}

/** `path name` of each name of another file that a file imports or passes on; `*`: all of it. */
function namesUsedBy(unit: SourceUnit, index: SourceIndex): string[] {
  return nodesOf(unit.tree).flatMap((node) => {
    const wanted = wantedOf(node);
    if (wanted === undefined) return [];
    const target = targetOf(unit.path, wanted.specifier, index);
    return target === undefined ? [] : wanted.names.map((name) => `${target} ${name}`);
  });
}

interface Wanted {
  readonly specifier: string;
  readonly names: readonly string[];
}

function wantedOf(node: ts.Node): Wanted | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, names: importedNames(node.importClause) };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    const { exportClause, moduleSpecifier } = node;
    if (!ts.isStringLiteral(moduleSpecifier)) return undefined;
    const isNamed = exportClause !== undefined && ts.isNamedExports(exportClause);
    return { specifier: moduleSpecifier.text, names: isNamed ? sourceNames(exportClause) : ['*'] };
  }
  return wantedLater(node);
}

function importedNames(clause: ts.ImportClause | undefined): string[] {
  if (!clause) return [];
  const bindings = clause.namedBindings;
  const names = clause.name ? ['default'] : [];
  if (!bindings) return names;
  return [...names, ...(ts.isNamedImports(bindings) ? sourceNames(bindings) : ['*'])];
}

function sourceNames({ elements }: ts.NamedImports | ts.NamedExports): string[] {
  return [...elements].map(({ name, propertyName }) => (propertyName ?? name).text);
}

/** `import('./a.js')`, as a value with the names that are taken from it, or as a type. */
function wantedLater(node: ts.Node): Wanted | undefined {
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    const { literal } = node.argument;
    if (!ts.isStringLiteral(literal)) return undefined;
    const name = node.qualifier?.getText().split('.')[0] ?? '*';
    return { specifier: literal.text, names: [name] };
  }
  const specifier = loadedBy(node);
  return specifier === undefined ? undefined : { specifier, names: ['*'] };
}

interface Exported {
  readonly name: string;
  readonly node: ts.Node;
}

function exportedNames(unit: SourceUnit): Exported[] {
  return unit.tree.statements.flatMap((statement): Exported[] => {
    if (ts.isExportDeclaration(statement)) {
      const names = statement.exportClause;
      if (!names || !ts.isNamedExports(names)) return [];
      return [...names.elements].map((node) => ({ name: node.name.text, node }));
    }
    if (!isExported(statement)) return [];
    if (ts.isVariableStatement(statement)) {
      const { declarations } = statement.declarationList;
      return declarations.map((node) => ({ name: node.name.getText(unit.tree), node }));
    }
    const { name } = statement as ts.Statement & { name?: ts.Identifier };
    return name ? [{ name: name.text, node: statement }] : [];
  });
}

function isExported(statement: ts.Statement): boolean {
  if (!ts.canHaveModifiers(statement)) return false;
  const kinds = (ts.getModifiers(statement) ?? []).map(({ kind }) => kind);
  return (
    kinds.includes(ts.SyntaxKind.ExportKeyword) && !kinds.includes(ts.SyntaxKind.DefaultKeyword)
  );
}
