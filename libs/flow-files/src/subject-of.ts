import { clip } from './json-document.js';
import { splitPointer } from './json-pointer.js';

/** The part of a flow file that a pointer points at, worded as the subject of a sentence. */
export function subjectOf(pointer: string): string {
  const path = splitPointer(pointer);
  const last = path.at(-1);
  if (last === undefined) return 'A flow file';
  if (path.length === 1 && last !== '$schema') return `Flow \`${clip(last)}\``;
  if (path.length > 2 && path.at(-2) === 'parallel') return `Branch \`${clip(last)}\``;
  if (!/^\d+$/.test(last)) return `\`${clip(last)}\``;
  const number = Number(last) + 1;
  if (path.length === 2) return `Step ${number}`;
  const holder = path.at(-2) ?? '';
  const owner = listOwner(path.slice(0, -1));
  if (owner !== null) return `Step ${number}${owner}`;
  return holder === 'choice' ? `Case ${number}` : `Entry ${number} of \`${clip(holder)}\``;
}

/**
 * The owner of the list of steps at a path, with the word before it; null: it is no list of steps.
 */
function listOwner(path: readonly string[]): string | null {
  const [around = '', part = '', last = ''] = path.slice(-3);
  if (last === 'group') return ' of the group';
  if (last === 'otherwise') return ' of `otherwise`';
  if (path.length > 2 && part === 'parallel') return ` of branch \`${clip(last)}\``;
  if (last !== 'steps') return null;
  if (path.length === 2) return '';
  if (part === 'loop') return ' of the loop';
  const number = Number(part) + 1;
  return around === 'choice' ? ` of case ${number}` : ` of entry ${number} of \`${clip(around)}\``;
}
