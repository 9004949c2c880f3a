import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { nameOf, shippedPackages } from '../package/shipped.js';
import { readPaths } from './source-tree.js';

interface Locked {
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const shipped = [...shippedPackages(packages)];
const OLDEST = [20, 19, 0];

/** Whether the oldest Node that is promised is in a range of whole versions, `>=` and `^`. */
function takesOldest(range: string): boolean {
  return range.split('||').some((part) => {
    const [, sign, ...numbers] =
      /^\s*(>=|\^)\s*(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?\s*$/.exec(part) ?? [];
    if (sign === undefined) throw new Error(`cannot read the range ${range}`);
    const least = numbers.map((text) => Number.parseInt(text ?? '0', 10) || 0);
    if (sign === '^' && least[0] !== OLDEST[0]) return false;
    const differs = least.findIndex((number, index) => number !== OLDEST[index]);
    return differs === -1 || least[differs]! < OLDEST[differs]!;
  });
}

/** Code of the package; what the console asks for is bundled with it. */
const SHIPPED = /^(apps|libs)\/(?!console\/).*(?<![.-]spec)\.ts$/;

describe('packages that an installation brings', () => {
  it('are named by the package that asks for them, as not all installers share others', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, object>;
    const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies'];
    const named = new Set(kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {})));
    const asked = readPaths()
      .filter((file) => SHIPPED.test(file))
      .flatMap((file) => ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles)
      .map(({ fileName }) => /^(?:@[^/]+\/)?[^/@#.:][^/:]*(?=\/|$)/.exec(fileName)?.[0] ?? '');
    expect([...new Set(asked)].filter((name) => name !== '' && !named.has(name))).toEqual([]);
  });

  it('follow dependencies, optional ones, and the peers of each that are not optional', () => {
    const lock = {
      '': { dependencies: { a: '1' }, peerDependencies: { p: '1' }, devDependencies: { d: '1' } },
      'node_modules/a': { optionalDependencies: { b: '1' }, peerDependencies: { q: '1', r: '1' } },
      'node_modules/a/node_modules/b': { dependencies: { d: '1' } },
      'node_modules/b': {},
      'node_modules/d': {},
      'node_modules/p': {},
      'node_modules/q': {},
      'node_modules/r': {},
    };
    const optional = { peerDependenciesMeta: { r: { optional: true } } };
    const given = { ...lock, 'node_modules/a': { ...lock['node_modules/a'], ...optional } };
    expect([...shippedPackages(given)].toSorted()).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/d',
      'node_modules/p',
      'node_modules/q',
    ]);
  });

  it('run on the oldest Node that is promised', () => {
    const ranges = shipped.map(
      (place) => [place, packages[place]?.engines?.node ?? '>=0'] as const,
    );
    expect(ranges.filter(([, range]) => !takesOldest(range))).toEqual([]);
    expect(['>=22', '^18 || >=20.19.1', '^22'].map(takesOldest)).toEqual([false, false, false]);
    expect(['>= 20.x', '^18 || ^20.19.0'].map(takesOldest)).toEqual([true, true]);
  });

  it('are those of the bill of materials, each with a hash', () => {
    const text = execFileSync(process.execPath, ['dist/test/package/sbom.js'], {
      encoding: 'utf8',
    });
    const { components, dependencies } = JSON.parse(text) as {
      readonly components: readonly { 'bom-ref': string; hashes: readonly unknown[] }[];
      readonly dependencies: readonly { readonly ref: string }[];
    };
    const refs = new Set(shipped.map((place) => `${nameOf(place)}@${packages[place]!.version}`));
    expect(new Set(components.map((part) => part['bom-ref']))).toEqual(refs);
    expect(new Set(dependencies.map(({ ref }) => ref))).toEqual(
      new Set(['backstep@0.1.0', ...refs]),
    );
    expect(components.filter(({ hashes }) => hashes.length === 0)).toEqual([]);
  });
});
