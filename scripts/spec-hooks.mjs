/**
 * How a process of specs finds and loads TypeScript: sources stay where they are, and their code is
 * what the build made of them. Specs, which are not built, are compiled as they are loaded.
 */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { swcOptions } from './swc-options.mjs';

const ROOT = new URL('..', import.meta.url).href;
const NOT_OURS = new RegExp(`^${ROOT}(node_modules|dist)/`);
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

export async function resolve(specifier, context, next) {
  const parent = context.parentURL ?? '';
  const url = isOurs(parent) ? sourceOf(specifier, withoutCopy(parent)) : undefined;
  if (url === undefined) return next(specifier, context);
  return {
    url: url + (PART.test(url) ? copyFor(parent) : ''),
    format: 'module',
    shortCircuit: true,
  };
}

export async function load(url, context, next) {
  const file = withoutCopy(url);
  if (!isOurs(file) || !file.endsWith('.ts')) return next(url, context);
  const source = (await builtOf(file)) ?? (await compiled(file));
  return { format: 'module', source, shortCircuit: true };
}

function isOurs(url) {
  return url.startsWith(ROOT) && !NOT_OURS.test(url);
}

function withoutCopy(url) {
  return url.replace(/\?.*$/, '');
}

function sourceOf(specifier, parent) {
  const entry = ENTRIES[specifier];
  if (entry !== undefined) return ROOT + entry;
  if (/^#[a-z-]+$/.test(specifier)) return `${ROOT}libs/${specifier.slice(1)}/src/index.ts`;
  if (!/^\.{1,2}\/.*\.js$/.test(specifier)) return undefined;
  const { href } = new URL(`${specifier.slice(0, -'.js'.length)}.ts`, parent);
  return existsSync(fileURLToPath(href)) ? href : undefined;
}

function copyFor(parent) {
  const { pathname, search } = new URL(parent);
  return search || `?of=${encodeURIComponent(pathname)}`;
}

async function builtOf(url) {
  const built = new URL(`dist/${url.slice(ROOT.length, -'.ts'.length)}.js`, ROOT);
  try {
    const [of, from] = await Promise.all([stat(built), stat(fileURLToPath(url))]);
    // Stale where jest was started without the test command, which builds first.
    if (of.mtimeMs < from.mtimeMs) return undefined;
    const code = await readFile(built, 'utf8');
    return code.replace(MAP, `//# sourceMappingURL=${built.href}.map\n`);
  } catch {
    return undefined;
  }
}

async function compiled(url) {
  const filename = fileURLToPath(url);
  const { transform } = (await import('@swc/core')).default;
  const options = { ...swcOptions, filename, sourceMaps: 'inline' };
  return (await transform(await readFile(filename, 'utf8'), options)).code;
}
