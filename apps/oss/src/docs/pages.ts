import { hash } from 'node:crypto';
import { FINDING_HELP, PROBLEM_CODES, type ProblemCode } from '#flow-files';
import { PROBLEMS } from '#http-server';
import { PAGE_SCRIPT } from './page-script.js';

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

/** Looks of the pages: the colours and fonts of the console, light and dark. */
const PAGE_STYLE = [
  ':root{color-scheme:light dark;--ground:#f6f7f9;--surface:#fff;--line:#dfe3ea;--text:#1b2130;',
  '--faint:#596276;--accent:#3247c7;--soft:#eef0f4;',
  "--sans:'Inter',system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif;",
  "--mono:ui-monospace,'SF Mono',Menlo,Consolas,'Liberation Mono',monospace}",
  '@media screen and (prefers-color-scheme:dark){:root{--ground:#10141c;--surface:#171c27;',
  '--line:#2b3344;--text:#e8ebf2;--faint:#a3adc0;--accent:#9db0ff;--soft:#222937}}',
  '*{box-sizing:border-box}',
  'body{font:15px/1.5 var(--sans);background:var(--ground);color:var(--text);max-width:60rem;',
  'margin:0 auto;padding:1rem;overflow-wrap:break-word}body:has(.api){max-width:80rem}',
  'a{color:var(--accent);text-underline-offset:3px;text-decoration-thickness:1px}',
  'h1{font-size:1.6rem;font-weight:650;letter-spacing:-.015em}',
  'h2{font-size:1.05rem;font-weight:620;margin:0 0 .2rem}',
  'h3{font-size:.85rem;font-weight:600;color:var(--faint);margin:.75rem 0 .25rem}',
  'header{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.9rem}',
  'code,pre{font-family:var(--mono);font-size:.88em}',
  'code{background:var(--soft);border-radius:4px;padding:0 .25em}pre code{padding:0}',
  'pre{overflow:auto;padding:.75rem;background:var(--surface);border:1px solid var(--line);',
  'border-radius:10px;overflow-wrap:normal}',
  'img{max-width:100%;height:auto}',
  'section{border-top:1px solid var(--line);padding:.75rem 0}',
  'table{border-collapse:collapse}th{text-align:left}',
  'td,th{padding:.1rem 1rem .1rem 0;vertical-align:top;overflow-wrap:normal}:target h2{text-decoration:underline}',
  'summary{cursor:pointer}section summary{font-size:.85rem;font-weight:600;color:var(--faint);',
  'margin-top:.5rem}',
  'label{display:flex;flex-wrap:wrap;gap:.25rem .5rem;margin:.25rem 0}label span{min-width:14rem}',
  'input,textarea{flex:1;min-width:12rem;font:inherit;font-family:var(--mono);color:inherit;',
  'background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:.2rem .5rem}',
  'button{font:inherit;padding:.25rem 1rem;color:inherit;background:var(--surface);',
  'border:1px solid var(--line);border-radius:6px;cursor:pointer}',
  'ul{padding-left:1.25rem;margin:.25rem 0}',
  '.api nav{font-size:.9rem}.api nav ul{padding-left:1rem;list-style:none}',
  '.group{background:var(--surface);border:1px solid var(--line);border-radius:10px;',
  'margin:0 0 .75rem;padding:.5rem 1rem}.group>summary{font-weight:620}',
  '.group>summary span{color:var(--faint);font-weight:400}',
  '.group section:first-of-type{border-top:0}.group section{overflow-x:auto}',
  '.method{display:inline-block;min-width:4rem}',
  '@media(min-width:60rem){.api{display:grid;grid-template-columns:19rem minmax(0,1fr);gap:1.5rem}',
  '.api nav{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow:auto}}',
].join('');

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
  return hash('sha256', text, 'base64');
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
