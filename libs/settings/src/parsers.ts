import path from 'node:path';

/** Where the tasks are kept. */
export type StoreSetting =
  | { readonly kind: 'sqlite'; /** Absolute. */ readonly file: string }
  | { readonly kind: 'mongodb'; readonly url: string };

/** What carries the messages. */
export type TransportSetting =
  { readonly kind: 'memory' } | { readonly kind: 'amqp'; readonly url: string };

/** Where to listen; port 0 is any free one. */
export interface Listener {
  readonly host: string;
  readonly port: number;
}

/** Makes a setting's value of its text. Throws an error that says what would be right. */
export type Parser<T> = (text: string, cwd: string) => T;

const SIZES: Readonly<Record<string, number>> = { B: 1, KiB: 1 << 10, MiB: 1 << 20, GiB: 1 << 30 };

const SWITCHES: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  yes: true,
  '1': true,
  off: false,
  false: false,
  no: false,
  '0': false,
};

/** `256KiB`, `1MiB`, or a bare number of bytes. */
export function parseSize(text: string): number {
  const found = /^([0-9]+(?:\.[0-9]+)?) ?(B|KiB|MiB|GiB)?$/.exec(text);
  const bytes = found === null ? NaN : Number(found[1]) * (SIZES[found[2] ?? 'B'] ?? NaN);
  if (bytes >= 1 && bytes <= Number.MAX_SAFE_INTEGER) return Math.round(bytes);
  throw new RangeError('not a size: write 256KiB, 1MiB or a number of bytes');
}

/** A whole number from 1 on. */
export function positiveInteger(text: string): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= 1 && Number.isSafeInteger(number)) return number;
  throw new RangeError('must be a whole number from 1 on');
}

/** `on` or `off`, and what people write for it. */
export function parseSwitch(text: string): boolean {
  const value = SWITCHES[text.toLowerCase()];
  if (value !== undefined) return value;
  throw new RangeError('must be on or off');
}

/** One of a few words. */
export function oneOf<T extends string>(...words: readonly T[]): Parser<T> {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw new RangeError(`must be one of ${words.join(', ')}`);
  };
}

/** A path, absolute from here on. */
export function parsePath(text: string, cwd: string): string {
  return path.resolve(cwd, text);
}

/** `127.0.0.1:7070`, `[::1]:7070`, `:7070` or `7070`. */
export function parseListener(text: string): Listener {
  const found = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]\s/]+)?:)?([0-9]{1,5})$/.exec(text);
  const port = Number(found?.[2] ?? NaN);
  if (port >= 0 && port <= 65_535) {
    const host = found?.[1] ?? '127.0.0.1';
    return { host: host.replaceAll(/[[\]]/g, ''), port };
  }
  throw new RangeError('must be host:port or a port');
}

/** `sqlite:<file>` or a MongoDB URL. A list of hosts is no URL to Node, so little is looked at. */
export function parseStore(text: string, cwd: string): StoreSetting {
  const file = /^sqlite:(?:\/\/)?(?<path>.+)$/.exec(text)?.groups?.['path'];
  if (file !== undefined) return { kind: 'sqlite', file: path.resolve(cwd, file) };
  if (/^mongodb(\+srv)?:\/\/[^/\s]+/.test(text)) return { kind: 'mongodb', url: text };
  throw new RangeError('must be sqlite:<file> or mongodb://host/database');
}

/** `memory:` or an AMQP URL. */
export function parseTransport(text: string): TransportSetting {
  if (text === 'memory:') return { kind: 'memory' };
  if (/^amqps?:\/\/[^/\s]+/.test(text) && URL.canParse(text)) return { kind: 'amqp', url: text };
  throw new RangeError('must be memory: or amqp://user:password@host/vhost');
}

/** An absolute URL of one of these protocols. */
export function urlOf(...protocols: readonly string[]): Parser<string> {
  return (text) => {
    const protocol = URL.canParse(text) ? new URL(text).protocol : '';
    if (protocols.includes(protocol.slice(0, -1))) return text;
    throw new RangeError(`must be a URL with ${protocols.join(':// or ')}://`);
  };
}

/** Any text. */
export function anyText(text: string): string {
  return text;
}
