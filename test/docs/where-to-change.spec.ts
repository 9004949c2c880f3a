import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPage, REPOSITORY } from './pages.js';

/** A name and the file that the page says has it. */
const NAMED = /`(\w+)` in \[[^\]]*\]\(([^)]+)\)/g;

const places = [...readPage('ARCHITECTURE.md').text.matchAll(NAMED)].map(([, name, file]) => ({
  name: name!,
  file: file!,
}));

describe('where to change what', () => {
  it('is told of the five things that are asked for most', () => {
    expect(places.length).toBeGreaterThanOrEqual(9);
  });

  it.each(places)('is $name of $file', ({ file, name }) => {
    const text = readFileSync(path.join(REPOSITORY, file), 'utf8');
    expect(text).toMatch(
      new RegExp(`^(export )?(async )?(function|class|const|interface|type) ${name}\\b`, 'm'),
    );
  });
});
