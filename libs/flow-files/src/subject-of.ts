import { clip } from './json-document.js';
import { splitPointer } from './json-pointer.js';

/** What a pointer into a flow file points at, as the subject of a sentence. */
export function subjectOf(pointer: string): string {
  const path = splitPointer(pointer);
  const last = path.at(-1);
  if (last === undefined) return 'A flow file';
  if (path.length === 1 && last !== '$schema') return `Flow \`${clip(last)}\``;
  if (!/^\d+$/.test(last)) return `\`${clip(last)}\``;
  const holder = path.at(-2) ?? '';
  const number = Number(last) + 1;
  if (path.length === 2 || holder === 'steps') return `Step ${number}`;
  if (holder === 'group') return `Step ${number} of the group`;
  return `Entry ${number} of \`${clip(holder)}\``;
}
