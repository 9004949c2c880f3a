import { createHash } from 'node:crypto';
import { PROBLEMS } from '#nest';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';

/** A page, and what a browser may do with it. */
export interface Page {
  readonly html: string;
  /** Content security policy: nothing but what stands in the page itself. */
  readonly policy: string;
}

const INDEX: readonly (readonly [string, string])[] = [
  ['/docs', 'the HTTP interface, to read'],
  ['/docs/errors', 'what each error means'],
  ['/openapi.json', 'the HTTP interface, for programs'],
  ['/v1/tasks', 'the newest tasks'],
  ['/v1/flows', 'the flows'],
  ['/readyz', 'whether everything is there'],
  ['/metrics', 'numbers'],
];

/** Renders `/openapi.json`. */
export const DOCS_PAGE = page('Backstep: HTTP', '<main id="main">...</main>', PAGE_SCRIPT);

/** The catalogue of errors. */
export const ERRORS_PAGE = page('Backstep: errors', `<main>${errorList()}</main>`);

/** The page at `/` where there is no console. */
export const INDEX_PAGE = page('Backstep', `<main>${indexList()}</main>`);

function page(title: string, body: string, script = ''): Page {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width">`;
  const style = `<style>${PAGE_STYLE}</style>`;
  const end = script === '' ? '' : `<script>${script}</script>`;
  const html =
    `<!doctype html><html lang="en"><head>${head}<title>${title}</title>${style}</head>` +
    `<body><h1>${title}</h1>${body}${end}</body></html>\n`;
  return { html, policy: policyFor(script) };
}

function policyFor(script: string): string {
  const scripts = script === '' ? "'none'" : `'sha256-${sha256(script)}'`;
  return [
    "default-src 'none'",
    `style-src 'sha256-${sha256(PAGE_STYLE)}'`,
    `script-src ${scripts}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function errorList(): string {
  const entries = Object.entries(PROBLEMS).map(
    ([code, { cure, status, title }]) =>
      `<section id="${code}"><h2>${status} ${code}</h2>` +
      `<p>${inline(title)}.</p><p>${inline(cure)}</p></section>`,
  );
  return entries.join('');
}

function indexList(): string {
  const items = INDEX.map(([path, what]) => `<li><a href="${path}">${path}</a> ${what}</li>`);
  return `<ul>${items.join('')}</ul>`;
}

/** Text of the catalogue, with code in backticks. */
function inline(text: string): string {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return safe.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
