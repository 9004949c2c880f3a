import { isUtf8 } from 'node:buffer';
import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { inexactNumbers } from './inexact-numbers.js';
import { findDeepNesting } from './json-depth.js';
import { findJsonFault, type JsonSource } from './json-fault.js';
import { placeOf } from './json-text.js';
import { nextTurn } from './loop-turns.js';
import { type InputFault, invalidRequest, Problem } from './problems.js';
import { findRepeatedMember } from './repeated-members.js';

/** The text of a body, or the problem that it is not UTF-8. */
export function decodeBody(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Problem('MALFORMED_JSON', 'The body is not UTF-8 text.');
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The value of a JSON body. Throws a `Problem` for everything that is wrong with it. */
export function parseBody(bytes: Buffer): unknown {
  const text = readText(bytes);
  const inexact = inexactNumbers(text);
  const value = parse(text);
  refuse(findJsonFault(value, sourceOf(text, inexact)) ?? findRepeatedMember(text, value));
  return value;
}

/** The same of a large body, in several turns of the event loop. Rejects where that one throws. */
export async function parseLargeBody(bytes: Buffer): Promise<unknown> {
  await nextTurn();
  const text = readText(bytes);
  const inexact = inexactNumbers(text);
  await nextTurn();
  const value = parse(text);
  await nextTurn();
  refuse(findJsonFault(value, sourceOf(text, inexact)));
  await nextTurn();
  refuse(findRepeatedMember(text, value));
  await nextTurn();
  return value;
}

/** Smaller texts cannot be nested so deeply that reading them does harm. */
const DEPTH_SCAN_BYTES = 16 * 1024;

function readText(bytes: Buffer): string {
  if (bytes.length > DEPTH_SCAN_BYTES) refuse(findDeepNesting(bytes));
  return decodeBody(bytes);
}

function sourceOf(text: string, inexact: ReadonlySet<number>): JsonSource {
  return { escaped: text.includes('\\'), inexact };
}

function refuse(fault: InputFault | null): void {
  if (fault !== null) throw invalidRequest(fault);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Problem('MALFORMED_JSON', describeSyntaxError(text), { cause });
  }
}

/** Where and why a text is not JSON, in words. */
export function describeSyntaxError(text: string): string {
  if (text.trim() === '') return 'The body is empty; send a JSON object.';
  const error = firstError(text);
  if (error === null) return 'The body is not JSON.';
  const reason = REASONS[printParseErrorCode(error.code)] ?? 'the text is not JSON';
  return `${placeOf(text, error.at)}: ${reason}.`;
}

interface SyntaxFault {
  readonly code: ParseErrorCode;
  readonly at: number;
}

/** After so many mistakes the rest is not read: the first of them is among these. */
const FAULTS_READ = 20;

/** The reader that tells where; slower than `JSON.parse`, so only for what that one refused. */
function firstError(text: string): SyntaxFault | null {
  const faults: SyntaxFault[] = [];
  const onError = (code: ParseErrorCode, at: number): void => {
    faults.push({ code, at });
    if (faults.length === FAULTS_READ) throw new Enough();
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // It is recursive: a text that is nested too deeply for it has no place to tell.
    if (!(error instanceof Enough)) return null;
  }
  return faults.toSorted((a, b) => a.at - b.at)[0] ?? null;
}

/** Ends the reading of a text that has mistakes enough. */
class Enough extends Error {
  override readonly name = 'Enough';
}

const REASONS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is no JSON value; put text in double quotes',
  InvalidNumberFormat: 'this is not a number as JSON writes them',
  PropertyNameExpected: 'a member in double quotes should stand here',
  ValueExpected: 'a value should stand here',
  ColonExpected: 'a colon should stand here',
  CommaExpected: 'a comma should stand here',
  CloseBraceExpected: 'a closing } should stand here',
  CloseBracketExpected: 'a closing ] should stand here',
  EndOfFileExpected: 'the text should end here',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'a text begins here that has no closing double quote',
  UnexpectedEndOfNumber: 'this number is unfinished',
  InvalidUnicode: 'a \\u without four hex digits stands here',
  InvalidEscapeCharacter: 'an unknown character stands after a backslash',
  InvalidCharacter: 'this character must be written as an escape, for example \\n',
};
