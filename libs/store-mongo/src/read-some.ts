import type { FindCursor } from 'mongodb';
import type { JsonObject } from '#core';
import { isObject, jsonSize } from '#core/json';
import { PAGE_CHARACTERS } from '#ports';
import type { ServerCalls } from './server-calls.js';
import type { TaskDocument } from './task-document.js';

/** Documents that come in one message; the server itself ends one at 16 MiB. */
const BATCH = 32;

/**
 * Reads documents until their contents are about a mebibyte, and one at least. The query is
 * made again with every call.
 */
export async function readSome(
  calls: ServerCalls,
  query: () => FindCursor<TaskDocument>,
): Promise<readonly TaskDocument[]> {
  const cursor = query().batchSize(BATCH);
  const documents: TaskDocument[] = [];
  let left = PAGE_CHARACTERS;
  try {
    while (left > 0) {
      const document = await calls.call('reading tasks', () => cursor.next());
      if (document === null) break;
      documents.push(document);
      left -= charactersOf(document);
    }
  } finally {
    cursor.close().catch(() => undefined);
  }
  return documents;
}

/** Characters of what may be large in a document, whatever it is. */
function charactersOf({ journal, plan, steps }: TaskDocument): number {
  let sum = lengthOf(plan?.parameters) + 100 * lengthOf(journal) + 500;
  if (Array.isArray(steps)) for (const { normal } of steps) sum += 500 + lengthOf(normal?.output);
  return sum;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isObject(value) ? jsonSize(value as JsonObject) : 0;
}
