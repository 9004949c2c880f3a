import { isUtf8 } from 'node:buffer';
import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { inexactNumbers } from './inexact-numbers.js';
import { findJsonFault } from './json-fault.js';
import { invalidRequest, Problem } from './problems.js';
import { findRepeatedMember } from './repeated-members.js';

/** The text of a body, or the problem that it is not UTF-8. */
export function decodeBody(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Problem('MALFORMED_JSON', 'The body is not UTF-8 text.');
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The value of a JSON body. Throws a `Problem` for everything that is wrong with it. */
export function parseBody(bytes: Buffer): unknown {
  const text = decodeBody(bytes);
  const value = parse(text);
  const source = { escaped: text.includes('\\'), inexact: inexactNumbers(text) };
  const fault = findJsonFault(value, source) ?? findRepeatedMember(text, value);
  if (fault !== null) throw invalidRequest(fault);
  return value;
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
  const before = text.slice(0, error.offset).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  const reason = REASONS[printParseErrorCode(error.error)] ?? 'the text is not JSON';
  return `Line ${before.length}, column ${column}: ${reason}.`;
}

/** The reader that tells where; slower than `JSON.parse`, so only for what that one refused. */
function firstError(text: string): ParseError | null {
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // It is recursive: a text that is nested too deeply for it has no place to tell.
    return null;
  }
  return errors.toSorted((a, b) => a.offset - b.offset)[0] ?? null;
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
