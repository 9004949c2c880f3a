import { parseTree, visit } from 'jsonc-parser';
import { unmarked } from '#json';

/** A part of a text. */
interface Span {
  readonly offset: number;
  readonly end: number;
}

/** A flow in its file: from its name to its end. */
interface WrittenPlace extends Span {
  readonly name: string;
  /** Where its value begins. */
  readonly valueAt: number;
}

const TRAILING_COMMA = { allowTrailingComma: true };

/**
 * The text of each flow of a file that `parseFlowFile` could read, by name, as
 * `PUT /v1/flows/{name}` takes it: without its name, and as far to the left as its name stood.
 * Comments above the name and behind the end belong to the flow; those around all flows belong to
 * a flow that is alone in its file.
 */
export function flowTexts(file: string): ReadonlyMap<string, string> {
  const plain = unmarked(file);
  const root = parseTree(plain, [], TRAILING_COMMA);
  if (root?.type !== 'object') return new Map();
  const places = (root.children ?? []).flatMap(({ children: [name, value] = [], ...span }) => {
    if (name === undefined || value === undefined || name.value === '$schema') return [];
    const { length, offset } = span;
    return [
      { name: name.value as string, offset, valueAt: value.offset, end: offset + length },
    ] as const;
  });
  const { length, offset } = root;
  const all = { offset, end: offset + length };
  const around = places.length === 1 ? { offset: 0, end: plain.length } : all;
  const comments = commentsIn(plain).filter((one) => {
    return one.offset >= around.offset && one.end <= around.end;
  });
  return textsOf(plain, places, comments);
}

function commentsIn(text: string): readonly Span[] {
  const found: Span[] = [];
  const onComment = (offset: number, length: number): void => {
    found.push({ offset, end: offset + length });
  };
  visit(text, { onComment }, TRAILING_COMMA);
  return found;
}

/** Each comment is looked at once, in the order of the file. */
function textsOf(
  plain: string,
  places: readonly WrittenPlace[],
  comments: readonly Span[],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  let next = 0;
  const takeBefore = (offset: number): readonly Span[] => {
    const first = next;
    while ((comments[next]?.offset ?? Infinity) < offset) next += 1;
    return comments.slice(first, next);
  };
  const words = ({ end, offset }: Span): string => plain.slice(offset, end);
  let before = 0;
  for (const [i, { end, name, offset, valueAt }] of places.entries()) {
    const indent = /(?<=\n)[ \t]*$/.exec(plain.slice(before, offset))?.[0] ?? '';
    const above = takeBefore(valueAt);
    takeBefore(end);
    const following = places[i + 1]?.offset;
    const line = plain.slice(end, following).indexOf('\n');
    const lineEnd = line === -1 ? Infinity : end + line;
    const behind = takeBefore(following === undefined ? Infinity : Math.min(lineEnd, following));
    const text = [
      ...above.map((one) => `${words(one)}\n`),
      plain.slice(valueAt, end),
      ...behind.map((one) => `${one.offset < lineEnd ? ' ' : '\n'}${words(one)}`),
      '\n',
    ].join('');
    texts.set(name, text.replaceAll(`\n${indent}`, '\n'));
    before = end;
  }
  return texts;
}
