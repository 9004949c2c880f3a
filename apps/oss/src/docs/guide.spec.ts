import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../../../../test/stack/index.js';
import { Guide } from './guide.js';

/** As the build has left them. */
const guide = Guide.in(path.join(REPOSITORY, 'dist/docs'));

/** Pages that the gateway makes of what the code declares. */
const OTHERS = ['docs', 'errors', 'findings'];

function bodyOf(name: string): string {
  return guide.page(name)?.html ?? '';
}

describe('the documentation that a gateway serves', () => {
  it('has each page of docs/', () => {
    const files = readdirSync(path.join(REPOSITORY, 'docs'), { recursive: true }).map(String);
    const pages = files.filter((file) => file.endsWith('.md') && !/^(errors|findings)/.test(file));
    const names = pages.map((file) => file.replace(/\.md$/, '').replace(/^README$/, 'contents'));
    expect([...guide.names()].toSorted()).toEqual(names.toSorted());
  });

  it('leads to pages and places that are there', () => {
    const wrong = guide.names().flatMap((name) => {
      const links = [...bodyOf(name).matchAll(/<a href="([^"#:]*)(?:#([^"]*))?"/g)];
      return links.flatMap(([link, target = '', anchor]) => {
        const page =
          target === '' ? name : path.posix.join('/docs', path.posix.dirname(name), target);
        const known = page.replace(/^\/docs\//, '');
        if (target.startsWith('/') || OTHERS.includes(known)) return [];
        const isThere = anchor === undefined || bodyOf(known).includes(`id="${anchor}"`);
        return guide.page(known) !== null && isThere ? [] : [`${name}: ${link}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it('has the words of the page, its title once, and code as it is written', () => {
    const page = bodyOf('write-an-executor');
    expect(page).toContain('<title>Write an executor</title>');
    expect(page.match(/<h1/g)).toHaveLength(1);
    const file = readFileSync(path.join(REPOSITORY, 'docs/write-an-executor.md'), 'utf8');
    expect(file).toContain('npx backstep init ../my-executors');
    expect(page).toContain('npx backstep init ../my-executors');
  });

  it('has its pictures within, since a page may load nothing', () => {
    const sources = guide.names().flatMap((name) => {
      return [...bodyOf(name).matchAll(/<img src="([^"]{0,30})/g)].map(([, source]) => source);
    });
    expect(sources.length).toBeGreaterThan(3);
    expect(
      sources.filter((source) => !/^data:image\/(svg\+xml|webp);base64,/.test(source!)),
    ).toEqual([]);
  });

  it.each(['nothing', '../package', 'adr/../access', ''])('has no page %j', (name) => {
    expect(guide.page(name)).toBeNull();
  });
});

it('is empty where none was built', () => {
  expect(Guide.in(path.join(REPOSITORY, 'dist/no-docs')).names()).toEqual([]);
});
