import { HighlightStyle, StreamLanguage, type StringStream } from '@codemirror/language';
import { tags } from '@lezer/highlight';

interface Reading {
  /** Open brackets. */
  depth: number;
  isInComment: boolean;
}

/** JSON with comments. A name is told from a text by the colon after it. */
export const flowLanguage = StreamLanguage.define<Reading>({
  name: 'jsonc',
  startState: () => ({ depth: 0, isInComment: false }),
  copyState: (state) => ({ ...state }),
  token,
  indent: ({ depth }, after, { unit }) =>
    Math.max(0, depth - (/^\s*[\]}]/.test(after) ? 1 : 0)) * unit,
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['[', '{', '"'] },
    indentOnInput: /^\s*[\]}]$/,
  },
});

/** Colours are those of the page, so that they follow its theme. */
export const flowColours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--back)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

function token(stream: StringStream, state: Reading): string | null {
  if (state.isInComment) return comment(stream, state);
  if (stream.eatSpace()) return null;
  if (stream.match('//')) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match('/*')) {
    state.isInComment = true;
    return comment(stream, state);
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) {
    return stream.match(/^\s*:/, false) ? 'propertyName' : 'string';
  }
  if (stream.match(/^-?\d[\d.eE+-]*/)) return 'number';
  if (stream.match(/^(true|false)\b/)) return 'bool';
  if (stream.match(/^null\b/)) return 'null';
  const next = stream.next() ?? '';
  if (next === '{' || next === '[') state.depth += 1;
  if (next === '}' || next === ']') state.depth = Math.max(0, state.depth - 1);
  return '{}[],:'.includes(next) ? 'punctuation' : 'invalid';
}

function comment(stream: StringStream, state: Reading): string {
  if (stream.match(/^.*?\*\//)) state.isInComment = false;
  else stream.skipToEnd();
  return 'comment';
}
