import { Buffer } from 'node:buffer';
import { readJson } from '#json';
import { InvalidCursor } from '#ports';
import type { RowPosition } from './protocol.js';

/** The text by which a caller asks for the page after this position. */
export function encodeCursor(position: RowPosition): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** The position that a caller's text means. Throws `InvalidCursor` for a text that no page gave. */
export function decodeCursor(cursor: string): RowPosition {
  const position = parse(Buffer.from(cursor, 'base64url'));
  if (!isPosition(position) || encodeCursor(position) !== cursor) {
    throw new InvalidCursor('The cursor is not one that a page of a list gave.');
  }
  return position;
}

/** A list of two numbers. */
const LIMITS = { bytes: 1_024, depth: 1 };

function parse(bytes: Buffer): unknown {
  try {
    return readJson(bytes, LIMITS);
  } catch {
    return undefined;
  }
}

function isPosition(value: unknown): value is RowPosition {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}
