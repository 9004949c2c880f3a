import jsonata from 'jsonata';
import { takeMarksOff } from './marks.js';
import { innerVisits, type SyntaxNode, type Visit } from './syntax-tree.js';

/** The texts that a well-formed expression, marks included, has in quotes. */
export function writtenTexts(text: string): readonly string[] {
  const node = jsonata(takeMarksOff(text)?.code ?? '""').ast() as SyntaxNode;
  const found: string[] = [];
  const waiting: Visit[] = [{ node, isOutside: true, depth: 1 }];
  for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
    const { type, value } = visit.node;
    if (type === 'string') found.push(String(value));
    waiting.push(...innerVisits(visit));
  }
  return found;
}
