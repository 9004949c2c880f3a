/** The ways in which a text can be refused. */
export type JsonFaultCode =
  /** It has more bytes than its reader takes. */
  | 'TOO_LARGE'
  /** It has more values than its reader takes: each costs many times its bytes. */
  | 'TOO_MANY_VALUES'
  | 'NOT_UTF8'
  | 'EMPTY'
  /** It is not JSON. */
  | 'SYNTAX'
  /** A number has more characters than a person could mean. */
  | 'NUMBER_TOO_LONG'
  /** A number would be another one, or none, once it is read. */
  | 'NUMBER_NOT_KEPT'
  | 'TOO_DEEP'
  | 'REPEATED_MEMBER'
  | 'FORBIDDEN_MEMBER'
  /** A text has half of a surrogate pair. */
  | 'ILL_FORMED_TEXT';

/** A line and a column, both from 1 on, as people are told. */
export interface JsonPlace {
  readonly line: number;
  readonly column: number;
}

/** Where and how a text is wrong. */
interface JsonFault {
  readonly code: JsonFaultCode;
  /** The value that is meant (RFC 6901); empty: the text as a whole. */
  readonly pointer: string;
  /** Null: it is no matter of a place. */
  readonly place: JsonPlace | null;
  /** It quotes no more of the text than the name of a member. */
  readonly sentence: string;
  /** How to mend it, in one sentence; null: the other one says enough. */
  readonly hint: string | null;
}

/** A text that is not taken as JSON. Its message is the sentence behind the place. */
export class WrongJson extends Error implements JsonFault {
  override readonly name = 'WrongJson';
  readonly code: JsonFaultCode;
  readonly pointer: string;
  readonly place: JsonPlace | null;
  readonly sentence: string;
  readonly hint: string | null;

  constructor(fault: JsonFault) {
    super(placedSentence(fault));
    const { code, hint, place, pointer, sentence } = fault;
    this.code = code;
    this.pointer = pointer;
    this.place = place;
    this.sentence = sentence;
    this.hint = hint;
  }

  /** Whether the text is no JSON at all, or has a number that nobody takes for one. */
  get isNotJson(): boolean {
    return NOT_JSON.has(this.code);
  }
}

const NOT_JSON: ReadonlySet<JsonFaultCode> = new Set([
  'EMPTY',
  'NOT_UTF8',
  'NUMBER_TOO_LONG',
  'SYNTAX',
]);

/** `Line 1, column 9: a value should stand here.` */
function placedSentence({ place, sentence }: JsonFault): string {
  if (place === null) return sentence;
  const { column, line } = place;
  // An abbreviation stays one.
  const words = sentence.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase());
  return `Line ${line}, column ${column}: ${words}`;
}
