import { describe, expect, it } from '@jest/globals';
import { codeBlocks } from '../docs/markdown.js';
import { readPage } from '../docs/pages.js';
import { importsOf } from './layer-rules.js';
import { isProduct, parse, readSourceTree, type SourceUnit } from './source-tree.js';

/** A floor, and what stands on it: `store-*` is every library whose name begins so. */
const FLOOR = /^(\d)? +([\w*-].*)$/;

/** The floor of each name, as ARCHITECTURE.md draws the libraries. */
function drawnFloors(): ReadonlyMap<string, number> {
  const { text } = readPage('ARCHITECTURE.md');
  const [drawing] = codeBlocks(text.slice(text.indexOf('## Folders and arrows')));
  const floors = new Map<string, number>();
  let floor = NaN;
  for (const line of drawing?.text.split('\n') ?? []) {
    const [, number, names = ''] = FLOOR.exec(line) ?? [];
    floor = number === undefined ? floor : Number(number);
    for (const name of names.split(/ +/).filter((one) => one !== '')) floors.set(name, floor);
  }
  return floors;
}

const floors = drawnFloors();

function floorOf(library: string): number | undefined {
  return floors.get(library) ?? floors.get(library.replace(/-.*$/, '-*'));
}

/** Imports of libraries that do not stand on a lower floor than the importer. */
function importsUp(unit: SourceUnit): string[] {
  const own = /^libs\/([^/]+)\//.exec(unit.path)?.[1];
  const mine = own === undefined ? undefined : floorOf(own);
  if (own === undefined || !isProduct(unit)) return [];
  if (mine === undefined) return [`${own} stands on no floor`];
  return importsOf(unit).flatMap(({ specifier }) => {
    const library = /^#(core(?=\/)|[^/]+$)/.exec(specifier)?.[1];
    const isLower = library === undefined || (floorOf(library) ?? mine) < mine;
    return isLower ? [] : [`${unit.path} imports ${specifier}`];
  });
}

describe('the floors of ARCHITECTURE.md', () => {
  it('hold every library, and each imports from lower floors only', () => {
    expect([...new Set(readSourceTree().flatMap(importsUp))]).toEqual([]);
  });

  it('show an import of the same floor or a higher one, and a library that is not drawn', () => {
    const check = (file: string, name: string): string[] =>
      importsUp(parse(file, `import { a } from '${name}';`));
    expect(check('libs/store-mongo/src/a.ts', '#engine')).toHaveLength(1);
    expect(check('libs/ports/src/a.ts', '#engine')).toHaveLength(1);
    expect(check('libs/store-mongo/src/a.ts', '#ports')).toEqual([]);
    expect(check('libs/attic/src/a.ts', 'fs')).toHaveLength(1);
  });
});
