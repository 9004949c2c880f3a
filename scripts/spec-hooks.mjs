/**
 * How a process of specs finds and loads TypeScript: sources stay where they are, and their code is
 * what the build made of them.
 */
import { existsSync, readFileSync } from 'node:fs';
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
  return {
    url: url + (PART.test(url) ? copyFor(parent) : ''),
    format: 'module',
    shortCircuit: true,
  };
}

export function load(url, context, next) {
  const file = withoutCopy(url);
  if (!isOurs(file) || !file.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: builtOf(file), shortCircuit: true };
}

function isOurs(url) {
  return url.startsWith(ROOT) && !NOT_OURS.some((folder) => url.startsWith(folder));
}

function withoutCopy(url) {
  return url.replace(/\?.*$/, '');
}

function sourceOf(specifier, parent) {
  const entry = ENTRIES[specifier];
  if (entry !== undefined) return ROOT + entry;
  if (/^#seams\/[a-z-]+$/.test(specifier)) return `${ROOT}libs/seams/src/${specifier.slice(7)}.ts`;
  if (/^#workshop\/[a-z-]+$/.test(specifier)) return `${ROOT}${specifier.slice(1)}/index.ts`;
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
