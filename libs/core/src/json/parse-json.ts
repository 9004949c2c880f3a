const [BACKSLASH, QUOTE] = ['\\', '"'].map((letter) => letter.charCodeAt(0));
const SPACE = /[ \t\n\r]*/y;
/** The next part of a text that is JSON: a quote or a bracket, a number or a word. */
const PART = /["[\]{}]|[^"[\]{}:, \t\n\r]+/g;

type Holder = unknown[] | Record<string, unknown>;

/**
 * The value of a JSON text. Throws `SyntaxError` as `JSON.parse` does, and gives what that is meant
 * to give: V8 of Node 24, and of 26 up to 26.5, takes a member name with an escape for the first
 * characters with which it is written, if an object that was read before had a member of that name
 * at that place (nodejs/node issue 63785). One caller would change what another one sends. So a
 * text with such a name is read here; most texts have none.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedName(text) ? valueOf(text) : value;
}

/** Whether a text that is JSON has a member whose name is written with an escape. */
function hasEscapedName(text: string): boolean {
  let at = text.indexOf('\\');
  while (at !== -1) {
    // Only a text in quotes has escapes, and only behind a name stands a colon.
    SPACE.lastIndex = endOfQuoted(text, at);
    SPACE.test(text);
    if (text[SPACE.lastIndex] === ':') return true;
    at = text.indexOf('\\', SPACE.lastIndex);
  }
  return false;
}

/** The place after the closing quote of the text in quotes that goes on at `at`. */
function endOfQuoted(text: string, at: number): number {
  for (let n = at; ; n += 1) {
    const letter = text.charCodeAt(n);
    if (letter === QUOTE) return n + 1;
    if (letter === BACKSLASH) n += 1;
  }
}

/** The value of a text that is JSON. Without recursion: it may be nested to any depth. */
function valueOf(text: string): unknown {
  const whole: unknown[] = [];
  const open: Holder[] = [];
  let holder: Holder = whole;
  let name: string | null = null;
  const put = (value: unknown): void => {
    if (Array.isArray(holder)) holder.push(value);
    else define(holder, name!, value);
    name = null;
  };
  PART.lastIndex = 0;
  for (let found = PART.exec(text); found !== null; found = PART.exec(text)) {
    const [part] = found;
    if (part === '"') {
      const end = endOfQuoted(text, PART.lastIndex);
      const quoted = quotedText(text.slice(found.index, end));
      PART.lastIndex = end;
      if (name === null && !Array.isArray(holder)) name = quoted;
      else put(quoted);
    } else if (part === '{' || part === '[') {
      const inner: Holder = part === '{' ? {} : [];
      put(inner);
      open.push(holder);
      holder = inner;
    } else if (part === '}' || part === ']') holder = open.pop()!;
    else put(JSON.parse(part));
  }
  return whole[0];
}

function quotedText(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** As a member of its own, also where an assignment would mean the prototype. */
function define(holder: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') holder[name] = value;
  else
    Object.defineProperty(holder, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
}
