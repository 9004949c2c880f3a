/** A fenced block of a page. */
export interface CodeBlock {
  /** First word of the info string: `sh`, `json`, `ts` ... Empty where there is none. */
  readonly language: string;
  /** The rest of the info string: how the block is checked. */
  readonly directive: string;
  readonly text: string;
  /** Where it begins, from 1 on. */
  readonly line: number;
}

/** A link that stays within the repository. */
export interface PageLink {
  /** Relative to the page; empty for a place on the page itself. */
  readonly path: string;
  /** The part after the `#`; empty where there is none. */
  readonly anchor: string;
  readonly line: number;
}

const FENCE = /^(`{3,})(.*)$/;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

/** The fenced blocks of a page, in their order. */
export function codeBlocks(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { fence: string; info: string; line: number; lines: string[] } | undefined;
  page.split('\n').forEach((text, index) => {
    const [, fence, info = ''] = FENCE.exec(text) ?? [];
    if (open === undefined) {
      if (fence !== undefined) open = { fence, info: info.trim(), line: index + 1, lines: [] };
    } else if (fence === open.fence && info === '') {
      blocks.push(blockOf(open));
      open = undefined;
    } else {
      open.lines.push(text);
    }
  });
  if (open !== undefined) throw new Error(`the block in line ${open.line} has no end`);
  return blocks;
}

function blockOf(open: { info: string; line: number; lines: string[] }): CodeBlock {
  const [language = '', ...rest] = open.info.split(' ');
  return { language, directive: rest.join(' '), text: open.lines.join('\n'), line: open.line };
}

/** The links of a page that lead to places of the repository. */
export function localLinks(page: string): PageLink[] {
  return proseLines(page).flatMap((text, index) =>
    [...text.replaceAll(/`[^`]*`/g, '').matchAll(LINK)].flatMap(([, target = '']) => {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return [];
      const [path = '', anchor = ''] = target.split('#');
      return [{ path, anchor, line: index + 1 }];
    }),
  );
}

/** The anchors of a page's headings, as the usual viewers make them. */
export function anchors(page: string): Set<string> {
  const headings = proseLines(page).flatMap((text) => /^#{1,6} (.+)$/.exec(text)?.[1] ?? []);
  return new Set(headings.map(anchorOf));
}

function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '');
  return kept.replaceAll(' ', '-');
}

/** The lines of a page; those inside blocks are empty. */
function proseLines(page: string): string[] {
  let fence: string | undefined;
  return page.split('\n').map((text) => {
    const [, found] = FENCE.exec(text) ?? [];
    if (found !== undefined && (fence === undefined || fence === found)) {
      fence = fence === undefined ? found : undefined;
      return '';
    }
    return fence === undefined ? text : '';
  });
}
