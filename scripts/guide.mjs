/** Renders the pages of `docs/` as fragments of HTML, `dist/docs`, for pages of the gateway. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import { makeAside } from './made-aside.mjs';

const SOURCE = fileURLToPath(new URL('../docs', import.meta.url));
/** The gateway makes these pages itself, from what the code declares. */
const OF_THE_GATEWAY = new Set(['errors.md', 'findings.md']);
/** Pictures that pages show, with the types by which browsers know them. */
const PICTURE_TYPES = { '.svg': 'image/svg+xml', '.webp': 'image/webp' };

const names = (await readdir(SOURCE, { recursive: true })).map((name) =>
  name.split(path.sep).join('/'),
);
const pictures = await readPictures();
await makeAside('docs', async (folder) => {
  for (const page of names.filter((name) => name.endsWith('.md') && !OF_THE_GATEWAY.has(name))) {
    const text = await readFile(path.join(SOURCE, page), 'utf8');
    const target = path.join(folder, nameOf(page));
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, await fragmentOf(text));
  }
});

/** The pictures as addresses that hold them, so that a page is whole without another request. */
async function readPictures() {
  const files = names.filter((name) => /^pictures\/[^/]+$/.test(name));
  const shown = files.filter((file) => path.extname(file) in PICTURE_TYPES);
  const addresses = shown.map(async (file) => {
    const data = await readFile(path.join(SOURCE, file), 'base64');
    return [file, `data:${PICTURE_TYPES[path.extname(file)]};base64,${data}`];
  });
  return new Map(await Promise.all(addresses));
}

/** `write-a-flow.html`; the list of all pages is `contents.html`. */
function nameOf(page) {
  return page.replace(/^README\.md$/, 'contents.md').replace(/\.md$/, '.html');
}

/** The title of a page in a line of its own, then what stands below it. */
async function fragmentOf(text) {
  const [, title = '', rest = text] = /^# (.+)\n([^]*)$/.exec(text) ?? [];
  const image = (href, _title, alt) => `<img src="${pictures.get(href) ?? href}" alt="${alt}">`;
  const marked = new Marked({ renderer: { heading, image, link } });
  const html = await marked.parse(rest);
  return `${title}\n${html}`;
}

/** Headings have the anchors that links in the pages name. */
function heading(html, level, raw) {
  return `<h${level} id="${anchorOf(raw)}">${html}</h${level}>\n`;
}

function anchorOf(raw) {
  const text = raw.replaceAll(/<[^>]*>/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Pages lead to each other; what only a clone has is named, and no link. */
function link(href, _title, html) {
  if (/^(#|[a-z]+:)/.test(href)) return `<a href="${href}">${html}</a>`;
  const [file, anchor] = href.split('#');
  const isPage = file.endsWith('.md') && !/^(\.\.\/)+[A-Z]+\.md$/.test(file);
  if (!isPage) return html;
  const page = file.replace(/(^|\/)README\.md$/, '$1contents').replace(/\.md$/, '');
  const isOfCodes = OF_THE_GATEWAY.has(path.posix.basename(file));
  const place = anchor === undefined ? '' : `#${isOfCodes ? anchor.toUpperCase() : anchor}`;
  return `<a href="${page}${place}">${html}</a>`;
}
