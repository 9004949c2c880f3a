import { createHash } from 'node:crypto';
import { FINDING_HELP, PROBLEM_CODES, type ProblemCode } from '#flow-files';
import { PROBLEMS } from '#http-server';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';

/** A page, and what a browser may do with it. */
export interface Page {
  readonly html: string;
  /** Content security policy: nothing but what stands in the page itself. */
  readonly policy: string;
}

const INDEX: readonly (readonly [string, string])[] = [
  ['/docs', 'the HTTP interface, to read and to try'],
  ['/docs/contents', 'the documentation'],
  ['/docs/errors', 'what each error means'],
  ['/docs/findings', 'what each finding in a flow means'],
  ['/openapi.json', 'the HTTP interface, for programs'],
  ['/v1/tasks', 'the newest tasks'],
  ['/v1/flows', 'the flows'],
  ['/readyz', 'whether everything is there'],
  ['/metrics', 'numbers'],
];

/** Above each page: the ways to the others. */
const WAYS =
  '<header><a href="/">Backstep</a><a href="/docs">HTTP interface</a>' +
  '<a href="/docs/contents">Documentation</a><a href="/docs/errors">Errors</a>' +
  '<a href="/docs/findings">Findings</a></header>';

/** Between the two texts of an example. */
const MENDED = '<p>The same, mended:</p>';

/** Renders `/openapi.json`, with fields to try each operation. */
export const DOCS_PAGE = pageOf('Backstep: HTTP', '<main id="main">...</main>', PAGE_SCRIPT);

/** The catalogue of errors. */
export const ERRORS_PAGE = pageOf('Backstep: errors', `<main>${errorList()}</main>`);

/** The catalogue of what can be found in a flow. */
export const FINDINGS_PAGE = pageOf('Backstep: findings', `<main>${findingList()}</main>`);

/** The page at `/` where there is no console. */
export const INDEX_PAGE = pageOf('Backstep', `<main>${indexList()}</main>`);

/** A page with this title above its body; `title` and `body` are HTML. */
export function pageOf(title: string, body: string, script = ''): Page {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width">`;
  const style = `<style>${PAGE_STYLE}</style>`;
  const end = script === '' ? '' : `<script>${script}</script>`;
  const html =
    `<!doctype html><html lang="en"><head>${head}<title>${title}</title>${style}</head>` +
    `<body>${WAYS}<h1>${title}</h1>${body}${end}</body></html>\n`;
  return { html, policy: policyFor(script) };
}

function policyFor(script: string): string {
  const scripts = script === '' ? "'none'" : `'sha256-${sha256(script)}'`;
  return [
    "default-src 'none'",
    `style-src 'sha256-${sha256(PAGE_STYLE)}'`,
    `script-src ${scripts}`,
    "connect-src 'self'",
    'img-src data:',
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

function findingList(): string {
  const entries = Object.entries(FINDING_HELP).map(([code, { cure, example, report }]) => {
    const words = `<p>${inline(PROBLEM_CODES[code as ProblemCode])}</p><p>${inline(cure)}</p>`;
    const texts = example === null ? '' : texted(example.wrong) + MENDED + texted(example.mended);
    const told = report === null ? '' : `<p>If ${inline(report.when)}:</p>${texted(report.line)}`;
    return `<section id="${code}"><h2>${code}</h2>${words}${told}${texts}</section>`;
  });
  return entries.join('');
}

function texted(text: string): string {
  return `<pre>${escaped(text)}</pre>`;
}

function indexList(): string {
  const items = INDEX.map(([path, what]) => `<li><a href="${path}">${path}</a> ${what}</li>`);
  return `<ul>${items.join('')}</ul>`;
}

/** Text of the catalogue, with code in backticks. */
function inline(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
