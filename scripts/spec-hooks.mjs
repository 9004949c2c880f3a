/**
 * How a process of specs finds and loads TypeScript: sources stay where they are, and their code is
 * what the build made of them. Of the console, which is built as a whole, it is made here.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('..', import.meta.url).href;
const NOT_OURS = ['node_modules/', 'dist/'].map((folder) => ROOT + folder);
const MAP = /\/\/# sourceMappingURL=.*\n?$/;
const ENTRIES = {
  '@jest/globals': 'scripts/spec-globals.mjs',
  backstep: 'libs/process/src/public.ts',
  'backstep/barrier': 'libs/barrier/src/public.ts',
  'backstep/standalone': 'apps/standalone/src/public.ts',
  'backstep/testing': 'apps/standalone/src/testing.ts',
};
/** A part of specs (`gateway-spec.ts`). Each spec has its own, with the hooks of its tests. */
const PART = /\/[a-z0-9-]+-spec\.ts$/;

export function resolve(specifier, context, next) {
  const parent = context.parentURL ?? '';
  const url = isOurs(parent) ? sourceOf(specifier, withoutCopy(parent)) : undefined;
  if (url === undefined) return next(specifier, context);
  const own = PART.test(url) ? copyFor(parent) : '';
  return { url: url + own, format: 'module', shortCircuit: true };
}

export function load(url, context, next) {
  const file = withoutCopy(url);
  if (!isOurs(file) || !file.endsWith('.ts')) return next(url, context);
  const source = file.startsWith(`${ROOT}apps/console/`) ? compiled(file) : builtOf(file);
  return { format: 'module', source, shortCircuit: true };
}

function isOurs(url) {
  return url.startsWith(ROOT) && !NOT_OURS.some((folder) => url.startsWith(folder));
}

const withoutCopy = (url) => url.replace(/\?.*$/, '');

function sourceOf(specifier, parent) {
  const entry = ENTRIES[specifier];
  if (entry !== undefined) return ROOT + entry;
  if (/^#seams\/[a-z-]+$/.test(specifier)) return `${ROOT}libs/seams/src/${specifier.slice(7)}.ts`;
  const inner = specifier.replace('#core/', '#libs/core/src/');
  if (/^#[a-z/]+\/[a-z-]+$/.test(inner)) return `${ROOT}${inner.slice(1)}/index.ts`;
  if (/^#[a-z-]+$/.test(specifier)) return `${ROOT}libs/${specifier.slice(1)}/src/index.ts`;
  if (!/^\.{1,2}\/.*\.js$/.test(specifier)) return undefined;
  const { href } = new URL(`${specifier.slice(0, -'.js'.length)}.ts`, parent);
  return existsSync(fileURLToPath(href)) ? href : undefined;
}

function copyFor(parent) {
  const { pathname, search } = new URL(parent);
  return search || `?of=${encodeURIComponent(pathname)}`;
}

function builtOf(url) {
  const built = new URL(`dist/${url.slice(ROOT.length, -'.ts'.length)}.js`, ROOT);
  // Node follows no other way to a file than a relative one.
  const up = '../'.repeat(url.slice(ROOT.length).split('/').length - 1);
  const map = `${up}${built.href.slice(ROOT.length)}.map`;
  return readFileSync(built, 'utf8').replace(MAP, `//# sourceMappingURL=${map}\n`);
}

function compiled(url) {
  const { transpileModule } = createRequire(import.meta.url)('typescript');
  const compilerOptions = { target: 'es2022', module: 'esnext', inlineSourceMap: true };
  const [fileName, text] = [fileURLToPath(url), readFileSync(fileURLToPath(url), 'utf8')];
  return transpileModule(text, { fileName, compilerOptions }).outputText;
}
