import type { JsonValue } from '#core';
import { WrongUrl } from '#outbound';

/** The body of a request, and the headers that come with it. */
interface SentBody {
  /** Null: none. */
  readonly body: string | null;
  /** The type that the body has by itself; the author's own header wins over it. */
  readonly headers: Readonly<Record<string, string>>;
}

const NO_HEADERS: SentBody['headers'] = Object.freeze({});

/**
 * A body as it is sent: a text as it is, all else as JSON, or as a form where the author's
 * `Content-Type` is that of one. Throws `WrongUrl` for what a form cannot hold.
 */
export function sentBody(value: JsonValue | undefined, contentType: string | undefined): SentBody {
  if (value === undefined || value === null) return { body: null, headers: NO_HEADERS };
  if (typeof value === 'string') return { body: value, headers: NO_HEADERS };
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType ?? '')) {
    return { body: formOf(value), headers: NO_HEADERS };
  }
  return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

/** The members of an object as fields; a list is a field for each of its items, null is none. */
function formOf(value: JsonValue): string {
  const form = new URLSearchParams();
  if (typeof value !== 'object' || Array.isArray(value)) throw notAField('the body');
  for (const [name, member] of Object.entries(value as Record<string, JsonValue>)) {
    for (const item of Array.isArray(member) ? (member as JsonValue[]) : [member]) {
      if (item === null) continue;
      if (typeof item === 'object') throw notAField(JSON.stringify(name));
      form.append(name, String(item));
    }
  }
  return form.toString();
}

function notAField(what: string): WrongUrl {
  return new WrongUrl(`${what} cannot be sent as a form: write texts, numbers and lists of these`);
}
