import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPaths } from '../architecture/source-tree.js';
import { readPages, REPOSITORY } from './pages.js';

const FOLDER = 'docs/adr';
/** A decision by its number, and the file where the text links it. */
const NAMED = /\bADR (\d+)(?:\]\((?:[^)\s]*\/)?([^)\s/]+\.md)\))?/g;

const files = readdirSync(path.join(REPOSITORY, FOLDER)).toSorted();

function textOf(file: string): string {
  return readFileSync(path.join(REPOSITORY, file), 'utf8');
}

/** References that lead to no decision, or to another one than they say. */
function wrongReferences(name: string, text: string): string[] {
  return [...text.matchAll(NAMED)].flatMap(([said, number, linked]) => {
    const file = files[Number(number) - 1];
    if (file === undefined) return [`${name} says "${said}", which does not exist`];
    const isRight = linked === undefined || linked === file;
    return isRight ? [] : [`${name} says "${said}", which is ${file}`];
  });
}

describe('the decisions', () => {
  it('are numbered from 1 on without a gap, in their names and their titles', () => {
    const numbers = files.map((file) => Number(/^(\d{4})-[a-z-]+\.md$/.exec(file)?.[1]));
    expect(numbers).toEqual(files.map((_, index) => index + 1));
    const texts = files.map((file) => textOf(`${FOLDER}/${file}`));
    expect(texts.map((text) => Number(/^# (\d+)\. /.exec(text)?.[1]))).toEqual(numbers);
  });

  it('exist where a page or a source refers to them', () => {
    const pages = readPages().flatMap((page) => wrongReferences(page.path, page.text));
    const sources = readPaths().filter((file) => /\.(tsx?|mjs)$/.test(file));
    const said = sources.flatMap((file) => wrongReferences(file, textOf(file)));
    expect([...pages, ...said]).toEqual([]);
  });

  it('are told apart from those that do not exist', () => {
    const last = files.length;
    expect(wrongReferences('a.md', `ADR ${last}, [ADR 1](docs/adr/${files[0]})`)).toEqual([]);
    expect(wrongReferences('a.md', `ADR ${last + 1}`)).toHaveLength(1);
    expect(wrongReferences('a.md', `[ADR 2](adr/${files[0]})`)).toHaveLength(1);
  });
});
