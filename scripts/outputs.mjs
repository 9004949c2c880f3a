/** The parts of dist/, and what each is made of. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Folders whose code and data have their place in dist/. */
export const CODE = ['libs', 'apps', 'workshop', 'examples', 'bench', 'test'];
/** Decide by their time and size, like any source, what becomes of all parts. */
const MAKERS = ['package-lock.json', 'scripts'];
const SPEC = /[.-]spec\.tsx?$/;

/** Each part, made by the script of its name, with its sources. */
const PARTS = {
  code: ({ file }) => isIn(file, ['tsconfig.json', ...CODE]) && !file.startsWith('apps/console/'),
  programs: ({ file, isSpec }) => isIn(file, CODE) && !isSpec && !file.startsWith('apps/console/'),
  console: ({ file, isSpec }) => isIn(file, ['apps/console', 'libs/kinds', 'schemas']) && !isSpec,
  guide: ({ file }) => isIn(file, ['docs']),
};

/**
 * A stamp for each part of dist/, which changes with the time and size of what it is made of.
 *
 * @param {string} root The repository.
 * @returns {Record<keyof typeof PARTS, string>}
 */
export function stampsOf(root) {
  const files = [...MAKERS, ...CODE, 'docs', 'schemas', 'tsconfig.json'].flatMap((name) =>
    listed(root, name),
  );
  const stamps = Object.entries(PARTS).map(([name, isSource]) => {
    const hash = createHash('sha256');
    for (const one of files) {
      if (isSource(one) || isIn(one.file, MAKERS)) hash.update(one.stamp);
    }
    return [name, hash.digest('hex')];
  });
  return Object.fromEntries(stamps);
}

function isIn(file, places) {
  return places.some((place) => file === place || file.startsWith(`${place}/`));
}

/** A file, or all files of a folder, in an order of their own. Absent ones are none. */
function listed(root, name) {
  const info = statSync(path.join(root, name), { throwIfNoEntry: false });
  if (info === undefined || name.endsWith('/node_modules')) return [];
  if (info.isDirectory()) {
    const names = readdirSync(path.join(root, name)).sort();
    return names.flatMap((each) => listed(root, `${name}/${each}`));
  }
  const stamp = `${name}:${info.mtimeMs}:${info.size}\n`;
  return [{ file: name, stamp, isSpec: SPEC.test(name) }];
}
