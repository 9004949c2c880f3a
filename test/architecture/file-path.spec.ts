import { describe, expect, it } from '@jest/globals';
import { pathOfUrl } from './file-path-rules.js';
import { parse } from './source-tree.js';

describe('a part of a URL that is taken for the path of a file', () => {
  it.each([
    "const FOLDER = new URL('../fixtures', import.meta.url).pathname;",
    'const here = new URL(import.meta.url).pathname;',
    "const url = new URL('.', import.meta.url);\nread(url.pathname);",
    "const ROOT = new URL('..', import.meta.url);\nconst DIST = new URL('dist', ROOT);\nread(DIST.pathname);",
    "const { pathname } = new URL('.', import.meta.url);",
    "const { pathname: folder } = new URL('.', import.meta.url);",
    'open(pathToFileURL(file).pathname);',
    "open(new URL('file:///etc/hosts').pathname);",
    "const here = import.meta.url.replace('file://', '');",
    'const here = import.meta.url.slice(7);',
  ])('is seen in `%s`', (text) => {
    expect(pathOfUrl(parse('libs/a/src/b.ts', text))).toHaveLength(1);
    expect(pathOfUrl(parse('scripts/b.mjs', text))).toHaveLength(1);
  });

  it.each([
    "const FOLDER = fileURLToPath(new URL('../fixtures', import.meta.url));",
    'const { pathname } = new URL(request.url, origin);',
    "const url = new URL('https://example.org/a');\nshow(url.pathname);",
    'const url = new URL(server.url);\nurl.pathname = `/${name}`;',
    "const worker = new URL('worker.js', import.meta.url).href;",
  ])('is not seen in `%s`', (text) => {
    expect(pathOfUrl(parse('libs/a/src/b.ts', text))).toEqual([]);
  });
});
