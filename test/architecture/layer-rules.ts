import path from 'node:path';
import { builtinModules } from 'node:module';
import ts from 'typescript';
import { at, isSpec, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

/** The imports that the files of a layer may have: libraries by name, `*` for every one. */
interface Layer {
  readonly files: RegExp;
  readonly libraries: readonly string[];
  /** Whether npm packages and Node's own modules may be imported. */
  readonly outside: boolean;
}

/** The arrows. The first layer whose pattern fits a file is its layer. */
const LAYERS: Readonly<Record<string, Layer>> = {
  kinds: { files: /^libs\/kinds\//, libraries: [], outside: false },
  core: { files: /^libs\/core\//, libraries: ['kinds'], outside: false },
  ports: { files: /^libs\/ports\//, libraries: ['core'], outside: false },
  engine: { files: /^libs\/engine\//, libraries: ['core', 'ports'], outside: false },
  testing: {
    files: /^libs\/testing\//,
    libraries: ['core', 'ports', 'engine', 'machine'],
    outside: true,
  },
  executor: {
    files: /^libs\/executor\//,
    libraries: ['class-schema', 'core', 'engine', 'json', 'ports', 'seams', 'wording'],
    outside: true,
  },
  'http-server': {
    files: /^libs\/http-server\//,
    libraries: ['access', 'core', 'executor', 'json', 'machine', 'ports', 'seams', 'wording'],
    outside: true,
  },
  process: { files: /^libs\/process\//, libraries: ['*'], outside: true },
  wording: { files: /^libs\/wording\//, libraries: [], outside: false },
  seams: { files: /^libs\/seams\//, libraries: [], outside: true },
  json: { files: /^libs\/json\//, libraries: ['core'], outside: true },
  written: {
    files: /^libs\/(access|expressions|notifications|platform|schedules|settings)\//,
    libraries: ['core', 'json', 'kinds', 'ports', 'seams', 'wording'],
    outside: true,
  },
  flows: {
    files: /^libs\/flow-files\//,
    libraries: ['core', 'json', 'kinds', 'ports', 'wording', 'expressions'],
    outside: true,
  },
  // Stores, transports, the barrier, the machine, tracing, and each library that is added.
  adapter: { files: /^libs\//, libraries: ['core', 'json', 'ports', 'seams'], outside: true },
  // Runs in a browser, and knows of Backstep what its HTTP interface shows, and the kinds of steps.
  console: { files: /^apps\/console\//, libraries: ['kinds'], outside: true },
  apps: { files: /^apps\//, libraries: ['*'], outside: true },
  import: {
    files: /^workshop\/import\//,
    libraries: ['core', 'expressions', 'json'],
    outside: false,
  },
  drawing: { files: /^workshop\/drawing\//, libraries: ['kinds', 'wording'], outside: false },
  rehearsal: {
    files: /^workshop\/rehearsal\//,
    libraries: ['core', 'json', 'ports'],
    outside: false,
  },
  workshop: { files: /^workshop\//, libraries: ['*'], outside: true },
  trials: { files: /^(bench|examples|templates|test)\//, libraries: ['*'], outside: true },
};

/** The rooms of the core: each may import those before it, and what lies beside them all. */
const CORE_ROOMS: readonly string[] = [
  'json',
  'flow',
  'task',
  'secrets',
  'scopes',
  'values',
  'locks',
  'children',
  'change',
  'moves',
  'kinds',
  'advance',
  'transitions',
  'stored',
  'read',
];
const CORE_ROOM = /^libs\/core\/src\/([^/]+)\//;

/** Where the test library may be used besides specs. */
const MAY_TEST =
  /^(bench|examples|templates|test|apps\/lab|libs\/testing|apps\/standalone\/src\/testing\.ts$)/;
/** Code that is made of apps. */
const COMPOSES_APPS = /^(apps\/(standalone|cli)|bench|examples|templates|test|workshop)\//;
/** Code for authors of flows. The command line offers it; no process that runs tasks has it. */
const USES_WORKSHOP = /^(apps\/cli|workshop|test)\//;
/** The editor of the console takes the schemas that the package exports for editors. */
const TAKES_SCHEMAS = /^apps\/console\//;
const SCHEMA = /^schemas\/[^/]+\.json$/;
/** Clients of the HTTP interface take its types, and the gateway holds its answers to them. */
const TAKES_API_TYPES = /^(apps\/(cli|console|oss)|libs\/worker|workshop\/drill)\//;
const API_TYPES = 'schemas/http-api.js';
/** Code as people write it who have the package. */
const SHOWS_USE = /^(examples|templates)\//;
const APP_DOOR = /^apps\/[^/]+\/src\/index\.js$/;
const SELF = new Map([
  ['backstep', 'process'],
  ['backstep/testing', 'testing'],
  ['backstep/barrier', 'barrier'],
]);

/** Imports against the arrows, past a door, or out of a folder. */
export function forbiddenImports(unit: SourceUnit): string[] {
  const layer = Object.entries(LAYERS).find(([, { files }]) => files.test(unit.path));
  if (!layer) return [];
  return importsOf(unit).flatMap(({ specifier, node }) => {
    const problem = judge(unit, layer, specifier);
    return problem === undefined ? [] : [at(unit, node, `imports ${specifier}: ${problem}`)];
  });
}

function judge(unit: SourceUnit, layer: [string, Layer], specifier: string): string | undefined {
  if (specifier.startsWith('.')) return judgeRelative(unit, specifier);
  if (/^#workshop\/[^/]+$/.test(specifier)) return judgeWorkshop(unit, specifier);
  const library =
    SELF.get(specifier) ?? /^#((?:core|seams)(?=\/[^/]+$)|[^/]+$)/.exec(specifier)?.[1];
  if (library !== undefined) return judgeLibrary(unit, layer, library);
  if (specifier === 'backstep/standalone' && SHOWS_USE.test(unit.path)) return undefined;
  if (/^(#|backstep\/)/.test(specifier)) return 'only the door of a library may be imported';
  return judgeOutside(unit, layer, specifier);
}

function judgeLibrary(
  unit: SourceUnit,
  [name, { libraries }]: [string, Layer],
  library: string,
): string | undefined {
  if (unit.path.startsWith(`libs/${library}/`)) return 'a library does not enter by its own door';
  if (library === 'testing') {
    return isSpec(unit) || MAY_TEST.test(unit.path) ? undefined : 'testing is for tests';
  }
  if (libraries.includes('*') || libraries.includes(library)) return undefined;
  return `${name} may not import ${library}`;
}

function judgeWorkshop({ path: file }: SourceUnit, specifier: string): string | undefined {
  if (file.startsWith(`${specifier.slice(1)}/`)) return 'a part does not enter by its own door';
  return USES_WORKSHOP.test(file) ? undefined : 'only the command line opens the workshop';
}

function judgeOutside(
  unit: SourceUnit,
  [name, { outside }]: [string, Layer],
  specifier: string,
): string | undefined {
  if (outside || isSpec(unit)) return undefined;
  const builtin = specifier.startsWith('node:') || builtinModules.includes(specifier);
  return `${name} may not import ${builtin ? "Node's modules" : 'packages'}`;
}

function judgeRelative(unit: SourceUnit, specifier: string): string | undefined {
  const target = path.posix.join(path.posix.dirname(unit.path), specifier);
  const home = /^(libs|apps|workshop)\/[^/]+\//.exec(unit.path)?.[0];
  if (home !== undefined && target.startsWith(home)) return judgeRoom(unit, target);
  // Contract suites run on real servers, which are started in one place for all of them.
  if (isSpec(unit) && target.startsWith('test/')) return undefined;
  if (TAKES_SCHEMAS.test(unit.path) && SCHEMA.test(target)) return undefined;
  if (TAKES_API_TYPES.test(unit.path) && target === API_TYPES) return undefined;
  if (target.startsWith('libs/')) return 'a library is imported by its name';
  if (home?.startsWith('libs/')) return 'a library does not reach out of its folder';
  if (!target.startsWith('apps/')) return home ? 'an app does not reach out of apps' : undefined;
  if (!COMPOSES_APPS.test(unit.path)) return 'only standalone and cli are made of other apps';
  return APP_DOOR.test(target) ? undefined : 'only the door of an app may be imported';
}

/** The door opens to every room, and specs look where they like. */
function judgeRoom(unit: SourceUnit, target: string): string | undefined {
  const from = CORE_ROOM.exec(unit.path)?.[1];
  const to = CORE_ROOM.exec(target)?.[1];
  if (isSpec(unit) || from === undefined || to === undefined) return undefined;
  if (!CORE_ROOMS.includes(from)) return `${from} is no room of the core`;
  const isBelow = CORE_ROOMS.indexOf(to) <= CORE_ROOMS.indexOf(from);
  return isBelow && CORE_ROOMS.includes(to) ? undefined : `room ${from} may not import ${to}`;
}

interface Import {
  readonly specifier: string;
  readonly node: ts.Node;
}

/** Every import of a file: of values and of types, at once and later. */
export function importsOf(unit: SourceUnit): Import[] {
  return nodesOf(unit.tree).flatMap((node): Import[] => {
    const literal = specifierOf(node);
    return literal && ts.isStringLiteralLike(literal) ? [{ specifier: literal.text, node }] : [];
  });
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return node.argument.literal;
  }
  const isDynamic =
    ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isDynamic ? node.arguments[0] : undefined;
}
