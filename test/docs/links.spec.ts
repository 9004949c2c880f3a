import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { anchors, localLinks } from './markdown.js';
import { type Page, readPages, REPOSITORY } from './pages.js';

const pages = readPages();

it.each(pages.map((page) => [page.path, page] as const))('the links of %s lead', (_, page) => {
  expect(deadLinks(page)).toEqual([]);
});

it('a page of docs/ can be found from docs/README.md', () => {
  const index = pages.find((page) => page.path === 'docs/README.md');
  const linked = localLinks(index?.text ?? '').map((link) => path.posix.join('docs', link.path));
  const others = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page.path) && page !== index);
  expect(others.map((page) => page.path).filter((name) => !linked.includes(name))).toEqual([]);
});

it('what is in a block or in code is no link', () => {
  expect(localLinks('```\n[a](b)\n```\n`[a](b)` [a](c#d) [e](https://f)')).toEqual([
    { path: 'c', anchor: 'd', line: 4 },
  ]);
});

function deadLinks({ path: name, text }: Page): string[] {
  return localLinks(text).flatMap(({ anchor, line, path: target }) => {
    const file = target === '' ? name : path.posix.join(path.posix.dirname(name), target);
    const whole = path.join(REPOSITORY, file);
    if (!existsSync(whole)) return [`${name}:${line} ${file} does not exist`];
    if (anchor === '' || anchors(readFileSync(whole, 'utf8')).has(anchor)) return [];
    return [`${name}:${line} ${file} has no #${anchor}`];
  });
}
