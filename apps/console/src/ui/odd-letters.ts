import { Fragment, options, type VNode } from 'preact';

/** Marks on one letter that writing needs at most; more of them cover the lines around. */
const MARKS_MAX = 4;

/**
 * Letters that nobody sees and that change how a text reads: controls, letters without a width,
 * the ones that turn the direction of what follows, and heaps of marks on one letter. The two
 * joiners count behind a Latin letter alone: other scripts, and pictures, are written with them.
 */
const ODD = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u17b4',
    '\\u17b5\\u180b-\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0',
    '\\ufff9-\\ufffb\\u2028\\u2029\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]',
    '|(?<=^|[\\s\\u0021-\\u024f])[\\u200c\\u200d]',
    `|(?<=\\p{M}{${MARKS_MAX}})\\p{M}+`,
  ].join(''),
  'gu',
);

/** The text, in which each odd letter is its number, such as `⟨U+202E⟩`. */
export function withoutOddLetters(text: string): string {
  return text.replace(ODD, (found) => {
    const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const more = Array.from(found).length - 1;
    return more > 0 ? `⟨U+${code}+${more}⟩` : `⟨U+${code}⟩`;
  });
}

/** Attributes that are shown or read to people. */
const SHOWN = ['title', 'aria-label', 'label', 'placeholder', 'data-title', 'data-name'] as const;

type Props = Record<string, unknown>;

/**
 * From now on no page shows an odd letter, whichever part of it has the text: texts of elements and
 * the attributes that people read. Values of fields stay as they are, because they are sent again.
 */
export function showOddLetters(): void {
  const before = options.vnode?.bind(options);
  options.vnode = (vnode: VNode) => {
    before?.(vnode);
    const { type } = vnode;
    const props = vnode.props as Props;
    if (typeof type !== 'string' && type !== Fragment) return;
    if (type !== 'textarea' && 'children' in props) props['children'] = shown(props['children']);
    if (type === Fragment) return;
    for (const name of SHOWN) if (name in props) props[name] = shown(props[name]);
  };
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return withoutOddLetters(value);
  return Array.isArray(value) ? value.map(shown) : value;
}
