/**
 * Builds the pages of `docs/` into fragments of HTML, `dist/docs/`, which the gateway puts into its
 * pages. Run as a program: nothing of the renderer stays in the process that wanted the build.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from './bundled.mjs';
import { writeWhole } from './compile.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = 'docs';
const TARGET = path.join(ROOT, 'dist', SOURCE);
const STATE = 'dist/.guide.json';
const MAKERS = ['scripts/guide.mjs', 'node_modules/marked/package.json'];

/** The gateway makes these pages itself, from what the code declares. */
const OF_THE_GATEWAY = new Set(['errors.md', 'findings.md']);

const guide = bundled(ROOT, STATE, async () => {
  const files = [...(await pagesOf()), ...(await picturesOf())];
  return { makers: MAKERS, sources: files.map((file) => `${SOURCE}/${file}`) };
});
export const isGuideFresh = guide.isFresh;

async function pagesOf() {
  const names = await readdir(path.join(ROOT, SOURCE), { recursive: true });
  const pages = names.map((name) => name.split(path.sep).join('/'));
  return pages.filter((name) => name.endsWith('.md') && !OF_THE_GATEWAY.has(name)).sort();
}

/** Pictures that pages show, with the types by which browsers know them. */
const PICTURE_TYPES = { '.svg': 'image/svg+xml', '.webp': 'image/webp' };

async function picturesOf() {
  const names = await readdir(path.join(ROOT, SOURCE, 'pictures'));
  return names
    .filter((name) => path.extname(name) in PICTURE_TYPES)
    .map((name) => `pictures/${name}`);
}

/** The pictures as addresses that hold them, so that a page is whole without another request. */
async function readPictures() {
  const addresses = (await picturesOf()).map(async (file) => {
    const data = await readFile(path.join(ROOT, SOURCE, file), 'base64');
    return [file, `data:${PICTURE_TYPES[path.extname(file)]};base64,${data}`];
  });
  return new Map(await Promise.all(addresses));
}

async function buildGuide() {
  const pictures = await readPictures();
  const { Marked } = await import('marked');
  const pages = await pagesOf();
  await rm(TARGET, { recursive: true, force: true });
  for (const page of pages) {
    const text = await readFile(path.join(ROOT, SOURCE, page), 'utf8');
    const target = path.join(TARGET, nameOf(page));
    await mkdir(path.dirname(target), { recursive: true });
    await writeWhole(target, fragmentOf(new Marked(), text, pictures));
  }
}

/** `write-a-flow.html`; the list of all pages is `contents.html`. */
function nameOf(page) {
  return page.replace(/^README\.md$/, 'contents.md').replace(/\.md$/, '.html');
}

/** The title of a page in a line of its own, then what stands below it. */
function fragmentOf(marked, text, pictures) {
  const [, title = '', rest = text] = /^# (.+)\n([^]*)$/.exec(text) ?? [];
  const image = (href, _title, alt) => `<img src="${pictures.get(href) ?? href}" alt="${alt}">`;
  marked.use({ renderer: { heading, image, link } });
  return `${title}\n${marked.parse(rest)}`;
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

await guide.runAsProgram(import.meta.url, buildGuide);
