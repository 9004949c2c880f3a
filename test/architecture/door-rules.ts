import path from 'node:path';
import ts from 'typescript';
import { at, doorOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

export const PORT_METHODS_MAX = 10;

/** Files by path, to follow a name from a library's door to where it is declared. */
export type SourceIndex = ReadonlyMap<string, SourceUnit>;

/** A door lists what it opens to: a star would make public whatever is added behind it. */
export function starExport(unit: SourceUnit): string[] {
  if (!/^(libs\/[^/]+\/src(\/[^/]+)?|workshop\/[^/]+)\/index\.ts$/.test(unit.path)) return [];
  return unit.tree.statements.flatMap((statement) =>
    ts.isExportDeclaration(statement) && !statement.exportClause
      ? [at(unit, statement, 'exports everything of a file')]
      : [],
  );
}

/** Every name that a door opens to has a doc comment where it is declared. */
export function undocumentedExports(door: SourceUnit, index: SourceIndex): string[] {
  return exportsOf(door).flatMap(({ name, from, node }) => {
    const declaration = findDeclaration(index, from ?? door.path, name);
    if (declaration === undefined) return [at(door, node, `${name} is declared nowhere`)];
    const documented = ts.getJSDocCommentsAndTags(declaration.node).length > 0;
    return documented ? [] : [at(declaration.unit, declaration.node, `${name} has no doc comment`)];
  });
}

/** A name that the package exports. */
export interface PublicName {
  readonly name: string;
  /** `class`, `function`, `const`, or `type` where it can only be used as one. */
  readonly kind: string;
  readonly isDocumented: boolean;
}

/** Every name that an entry of the package exports, in the order of the alphabet. */
export function publicNames(door: SourceUnit, index: SourceIndex): PublicName[] {
  const names = exportsOf(door).map(({ name, from, isType }): PublicName => {
    const declaration = findDeclaration(index, from ?? door.path, name);
    if (declaration === undefined) return { name, kind: 'nothing', isDocumented: false };
    const isDocumented = ts.getJSDocCommentsAndTags(declaration.node).length > 0;
    return { name, kind: isType ? 'type' : kindOf(declaration.node), isDocumented };
  });
  return names.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function kindOf(node: ts.Node): string {
  if (ts.isClassDeclaration(node)) return 'class';
  if (ts.isFunctionDeclaration(node)) return 'function';
  return ts.isVariableStatement(node) ? 'const' : 'type';
}

/** Ports with more than `PORT_METHODS_MAX` methods; fields of values handed over do not count. */
export function widePort(unit: SourceUnit): string[] {
  if (!unit.path.startsWith('libs/ports/src/')) return [];
  return unit.tree.statements.filter(ts.isInterfaceDeclaration).flatMap((port) => {
    const methods = methodCount(port);
    if (methods <= PORT_METHODS_MAX) return [];
    return [
      at(unit, port, `${port.name.text} has ${methods} methods, at most ${PORT_METHODS_MAX}`),
    ];
  });
}

/** The methods that a port declares itself. */
export function methodCount(port: ts.InterfaceDeclaration): number {
  return port.members.filter(isMethod).length;
}

function isMethod(member: ts.TypeElement): boolean {
  if (ts.isMethodSignature(member)) return true;
  return ts.isPropertySignature(member) && !!member.type && ts.isFunctionTypeNode(member.type);
}

interface NamedExport {
  readonly name: string;
  /** The file it comes from; absent where the door declares it itself. */
  readonly from?: string;
  readonly isType: boolean;
  readonly node: ts.Node;
}

interface Declaration {
  readonly unit: SourceUnit;
  readonly node: ts.Node;
}

function exportsOf(unit: SourceUnit): NamedExport[] {
  return unit.tree.statements.flatMap((statement): NamedExport[] => {
    if (!ts.isExportDeclaration(statement)) {
      return declaredNames(statement).map((name) => ({ name, isType: false, node: statement }));
    }
    const { exportClause, moduleSpecifier } = statement;
    if (!exportClause || !ts.isNamedExports(exportClause)) return [];
    return exportClause.elements.map((element) => {
      const name = (element.propertyName ?? element.name).text;
      const isType = statement.isTypeOnly || element.isTypeOnly;
      if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) {
        return { name, isType, node: element };
      }
      return { name, from: resolveFrom(unit.path, moduleSpecifier.text), isType, node: element };
    });
  });
}

function declaredNames(statement: ts.Statement): string[] {
  if (!isExported(statement)) return [];
  return namesOf(statement);
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map((declaration) => declaration.name.getText());
  }
  const named = statement as ts.Statement & { name?: ts.Node };
  return named.name ? [named.name.getText()] : [];
}

function isExported(statement: ts.Statement): boolean {
  if (!ts.canHaveModifiers(statement)) return false;
  return (ts.getModifiers(statement) ?? []).some(
    (modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword,
  );
}

function findDeclaration(index: SourceIndex, file: string, name: string): Declaration | undefined {
  const unit = index.get(file);
  if (!unit) return undefined;
  const node = unit.tree.statements.find((statement) => namesOf(statement).includes(name));
  if (node) return { unit, node };
  const passedOn = exportsOf(unit).find((entry) => entry.name === name && entry.from);
  return passedOn?.from ? findDeclaration(index, passedOn.from, name) : undefined;
}

function resolveFrom(file: string, specifier: string): string {
  const door = doorOf(specifier);
  if (door !== undefined) return door;
  return path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts');
}
