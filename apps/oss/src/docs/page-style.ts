/** Looks of the pages; light and dark. */
export const PAGE_STYLE = [
  ':root{color-scheme:light dark}',
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}',
  'h1{font-size:1.5rem}h2{font-size:1.1rem;margin-bottom:.2rem}',
  'h2 b{display:inline-block;min-width:4rem}',
  'code,pre{font-family:ui-monospace,monospace;font-size:.9em}',
  'pre{overflow:auto;padding:.75rem;border:1px solid color-mix(in srgb,currentColor 25%,#0000)}',
  'section{border-top:1px solid color-mix(in srgb,currentColor 20%,#0000);padding:.5rem 0}',
  'table{border-collapse:collapse}th{text-align:left}',
  'td,th{padding:.1rem 1rem .1rem 0;vertical-align:top}:target h2{text-decoration:underline}',
  'label{display:flex;gap:.5rem;margin:.25rem 0}label span{min-width:14rem}',
  'input,textarea{flex:1;font:inherit;font-family:ui-monospace,monospace}',
  'ul{padding-left:1.25rem;margin:.25rem 0}button{font:inherit;padding:.25rem 1rem}',
].join('');
