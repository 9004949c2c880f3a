import type { JsonObject, JsonValue, Outcome } from '#core';
import { isSealed, mapMembers, mapReferences, mapTexts, MASK, maskSealed } from '#core/secrets';
import type { Secrets } from '#ports';

/** Shorter ones are not looked for: they are found everywhere. */
const SOUGHT_LENGTH_MIN = 8;

/** A message that was cut may end with so much of a secret, at least. */
const CUT_LENGTH_MIN = 4;

/** Half of a character: no address can have it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The mark of a text that was cut. */
const CUT = '…';

/** Sealed values in sealed values, at most. */
const DEPTH_MAX = 4;

/**
 * The secrets that one attempt was given in clear: opened as the command asks for its parameters,
 * and looked for in all that it says afterwards.
 */
export class OpenedSecrets {
  /** Whether something of what the command gave was sealed. */
  hasSealed = false;
  readonly #sought = new Set<string>();
  /** Secrets that were fetched, by what refers to them. */
  readonly #fetched = new Map<string, JsonValue>();

  /** `owner`: what the sealed values of the task belong to. */
  constructor(
    private readonly secrets: Secrets,
    private readonly owner: string,
  ) {}

  /** A secret that was fetched for the attempt: it stands in the place of what refers to it. */
  add(reference: string, secret: JsonValue): void {
    this.#fetched.set(reference, secret);
    this.#seek(secret);
  }

  /**
   * An object with all its sealed values, and the secrets that were fetched, in clear. Throws
   * `CannotOpenSecret`.
   */
  open(object: JsonObject): JsonObject {
    const opened = mapMembers(object, (value) => this.#opened(value, 0));
    if (this.#fetched.size === 0) return opened;
    return mapMembers(opened, (value) => {
      return mapReferences(value, (reference) => this.#fetched.get(reference));
    });
  }

  /** An attempt's outcome without its secrets: `names` are sealed, the rest is masked. */
  close(outcome: Outcome, names: readonly string[]): Outcome {
    if (outcome.kind === 'succeeded') {
      if (outcome.output === null) return outcome;
      return { kind: 'succeeded', output: this.#closedOutput(outcome.output, names) };
    }
    if (!('message' in outcome) || outcome.message === undefined) return outcome;
    const masked = { ...outcome, message: this.masked(outcome.message) };
    if (masked.kind !== 'failed' || masked.stack === undefined) return masked;
    return { ...masked, stack: this.masked(masked.stack) };
  }

  /** An object with the mask in the place of every secret that can be told apart. */
  maskedObject(object: JsonObject): JsonObject {
    return this.#maskedMembers(object);
  }

  /** A text with the mask in the place of every secret that is long enough to be told apart. */
  masked(text: string): string {
    let masked = maskSealed(text);
    const sought = [...this.#sought].sort((a, b) => b.length - a.length);
    for (const secret of sought) masked = masked.replaceAll(secret, MASK);
    return sought.reduce(withoutCut, masked);
  }

  /** Texts that belong together, with the mask also where a secret is split over them. */
  maskedAll(texts: readonly string[]): readonly string[] {
    const whole = texts.join('');
    const found = [...this.#sought].flatMap((secret) => rangesOf(whole, secret));
    let start = 0;
    return texts.map((text) => {
      const from = start;
      start += text.length;
      const split = found.filter(([begin, end]) => {
        const isInside = begin >= from && end <= start;
        return begin < start && end > from && !isInside;
      });
      return this.masked(split.length === 0 ? text : withoutRanges(text, from, split));
    });
  }

  #opened(value: JsonValue, depth: number): JsonValue {
    return mapTexts(value, (text) => {
      if (!isSealed(text) || depth === DEPTH_MAX) return text;
      const clear = this.#opened(this.secrets.open(text, this.owner), depth + 1);
      this.#seek(clear);
      return clear;
    });
  }

  #closedOutput(output: JsonObject, names: readonly string[]): JsonObject {
    // All of them first: another member may quote one.
    for (const name of names) {
      if (Object.hasOwn(output, name)) this.#seek(output[name] ?? null);
    }
    return this.#maskedMembers(
      mapMembers(output, (value, name) => {
        if (value === null || !names.includes(name)) return value;
        this.hasSealed = true;
        return new Sealed(this.secrets.seal(value, this.owner)) as unknown as JsonValue;
      }),
    );
  }

  #maskedMembers(object: JsonObject): JsonObject {
    const entries = Object.entries(object).map(([name, value = null]) => {
      return [this.masked(name), this.#maskedValue(value)] as const;
    });
    return Object.fromEntries(entries);
  }

  #maskedValue(value: unknown): JsonValue {
    if (value instanceof Sealed) return value.text;
    if (typeof value === 'string') return this.masked(value);
    if (typeof value === 'number') return this.#sought.has(String(value)) ? MASK : value;
    if (Array.isArray(value)) return value.map((each) => this.#maskedValue(each));
    if (typeof value !== 'object' || value === null) return value as JsonValue;
    return this.#maskedMembers(value as JsonObject);
  }

  /** Whatever a value holds is looked for, also as it is in JSON, in addresses, line by line. */
  #seek(value: JsonValue): void {
    if (typeof value === 'number') this.#add(String(value));
    if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) this.#seek(inner ?? null);
    }
    if (typeof value !== 'string') return;
    this.#add(value);
    this.#add(JSON.stringify(value).slice(1, -1));
    if (!LONE_SURROGATE.test(value)) this.#add(encodeURIComponent(value));
    for (const line of value.split(/\r?\n/)) this.#add(line.trim());
  }

  #add(text: string): void {
    if (text.length >= SOUGHT_LENGTH_MIN) this.#sought.add(text);
  }
}

/** A value that was sealed just now, and is not masked with the others. */
class Sealed {
  constructor(readonly text: string) {}
}

/** A text that was cut in the middle of a secret ends before it. */
function withoutCut(text: string, secret: string): string {
  if (!text.endsWith(CUT)) return text;
  const whole = text.slice(0, -CUT.length);
  for (let length = Math.min(secret.length, whole.length); length >= CUT_LENGTH_MIN; length -= 1) {
    if (!whole.endsWith(secret.slice(0, length))) continue;
    return `${whole.slice(0, -length)}${MASK}${CUT}`;
  }
  return text;
}

/** A stretch of a text: the place of its first character, and of the one behind it. */
type Range = readonly [begin: number, end: number];

function rangesOf(whole: string, secret: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = whole.indexOf(secret); at >= 0; at = whole.indexOf(secret, at + 1)) {
    ranges.push([at, at + secret.length]);
  }
  return ranges;
}

/** A text that begins at this place of a whole, with the mask for these stretches at its ends. */
function withoutRanges(text: string, from: number, ranges: readonly Range[]): string {
  const begin = Math.max(0, ...ranges.map(([at, end]) => (at < from ? end - from : 0)));
  const last = Math.min(...ranges.map(([at]) => (at >= from ? at - from : text.length)));
  if (begin >= last) return MASK;
  const head = begin > 0 ? MASK : '';
  return `${head}${text.slice(begin, last)}${last < text.length ? MASK : ''}`;
}
