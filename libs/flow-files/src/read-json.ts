import {
  createScanner,
  getLocation,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { clip, JsonDocument, LineIndex } from './json-document.js';
import { joinPointer } from './json-pointer.js';
import { type Problem, type ProblemCode, TEXT_START } from './problem.js';

/** Longest text that is read, in UTF-16 code units: about a thousand steps with parameters. */
export const TEXT_LENGTH_MAX = 1024 * 1024;

/**
 * Deepest nesting that is read: readers further on are recursive, and one that stores documents
 * takes 100 levels. Sixteen lists of steps in each other need up to 67.
 */
export const DEPTH_MAX = 96;

/** A document, or the one problem that prevents it. */
export type JsonReading =
  | { readonly kind: 'read'; readonly document: JsonDocument }
  | { readonly kind: 'unreadable'; readonly problem: Problem };

/** Reads JSON with comments and trailing commas. Never throws, whatever the text. */
export function readJson(text: string): JsonReading {
  if (text.length > TEXT_LENGTH_MAX) return tooLarge();
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const lines = new LineIndex(plain);
  const deepAt = findTooDeep(plain);
  if (deepAt !== null) {
    const message = `Lists and objects are nested deeper than ${DEPTH_MAX} levels here.`;
    const hint = 'Write it flatter.';
    return unreadable({ pointer: '', ...lines.at(deepAt), code: 'TOO_DEEP', message, hint });
  }
  const errors: ParseError[] = [];
  const root = parseTree(plain, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (first !== undefined) return unreadable(syntaxProblem(plain, lines, first));
  if (root === undefined) return empty();
  return { kind: 'read', document: new JsonDocument(root, lines, plain) };
}

function unreadable(problem: Problem): JsonReading {
  return { kind: 'unreadable', problem };
}

function tooLarge(): JsonReading {
  const code: ProblemCode = 'FILE_TOO_LARGE';
  const message = `The text is longer than ${TEXT_LENGTH_MAX / 1024} KiB.`;
  return unreadable({ ...TEXT_START, code, message, hint: 'Spread the flows over several files.' });
}

function empty(): JsonReading {
  const message = 'There is no flow in this text.';
  const hint =
    'Write for example {"my-flow": [{"normal": {"module": "lab", "command": "succeed"}}]}.';
  return unreadable({ ...TEXT_START, code: 'NO_FLOW', message, hint });
}

/** Where the nesting gets too deep. Found without recursion, so no text can exhaust the stack. */
function findTooDeep(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    if (scanner.getTokenOffset() >= text.length) return null;
    const first = text[scanner.getTokenOffset()];
    if (first === '{' || first === '[') depth += 1;
    if (first === '}' || first === ']') depth -= 1;
    if (depth > DEPTH_MAX) return scanner.getTokenOffset();
  }
}

/** Message and hint for each thing a JSON reader stumbles over. */
const SYNTAX: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  InvalidSymbol: ['is no JSON value', 'Put text in double quotes.'],
  InvalidNumberFormat: ['is not a number as JSON writes them', 'Write for example 30 or 0.5.'],
  PropertyNameExpected: ['stands where a member should begin', 'Write "name": value.'],
  ValueExpected: [
    'stands where a value should be',
    'Write a value here, or remove what asks for it.',
  ],
  ColonExpected: ['stands where a colon should be', 'Put a colon between a name and its value.'],
  CommaExpected: ['stands where a comma should be', 'Put a comma after what stands before it.'],
  CloseBraceExpected: ['stands where } should be', 'Close the object with }.'],
  CloseBracketExpected: ['stands where ] should be', 'Close the list with ].'],
  EndOfFileExpected: ['comes after the end', 'Keep one { ... } in the file and remove the rest.'],
  UnexpectedEndOfComment: ['begins a comment that does not end', 'End the comment with */.'],
  UnexpectedEndOfString: ['begins a text that does not end', 'End the text with a double quote.'],
  UnexpectedEndOfNumber: ['is an unfinished number', 'Write for example 30 or 0.5.'],
  InvalidUnicode: ['has a \\u without four hex digits', 'Write for example \\u00e9.'],
  InvalidEscapeCharacter: ['has an unknown character after \\', 'Write \\\\ for a backslash.'],
  InvalidCharacter: ['has a character that must be escaped', 'Write \\n for a new line.'],
};

function syntaxProblem(text: string, lines: LineIndex, error: ParseError): Problem {
  const name = printParseErrorCode(error.error);
  const offset = Math.min(error.offset, text.length);
  const rest = text.slice(offset, offset + Math.max(1, Math.min(error.length, 60)));
  const [found, odd] = foundAt(rest);
  const [fault, hint] = odd ?? SYNTAX[name] ?? ['cannot be read', 'Write JSON here.'];
  const path = getLocation(text, offset).path.filter((segment) => segment !== '');
  const pointer = path.reduce<string>(joinPointer, '');
  return { pointer, ...lines.at(offset), code: 'SYNTAX', message: `${found} ${fault}.`, hint };
}

const ODD_SPACE = ['is no space of JSON', 'Replace it by an ordinary space.'] as const;

/** The words for the place of a mistake, and its fault whatever was expected there. */
function foundAt(rest: string): readonly [found: string, odd?: typeof ODD_SPACE] {
  const shown = rest.trim();
  if (shown !== '') return [`\`${clip(shown)}\``];
  const odd = rest.replaceAll(/[ \t\r\n]/g, '').codePointAt(0);
  if (odd === undefined) return ['The end'];
  return [`The space U+${odd.toString(16).toUpperCase().padStart(4, '0')}`, ODD_SPACE];
}
