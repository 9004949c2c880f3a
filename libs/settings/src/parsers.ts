import { isIP } from 'node:net';
import path from 'node:path';
import { urlsIn } from './mask.js';
import { leadsIntoFile } from './own-folder.js';

/** Where the tasks are kept. */
export type StoreSetting =
  | { readonly kind: 'sqlite'; /** Absolute. */ readonly file: string }
  | { readonly kind: 'mongodb'; readonly url: string };

/** The transport of messages. */
export type TransportSetting =
  | { readonly kind: 'memory' }
  /** The nodes of one broker, in the order in which they are tried; one at least. */
  | { readonly kind: 'amqp'; readonly urls: readonly string[] };

/** An address to listen on; port 0 is any free one. */
export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
}

/** Where to listen: an address, or a socket in the file system, by its absolute path. */
export type Listener = ListenerAddress | { readonly socket: string };

/** Makes a setting's value of its text. Throws an error that says what would be right. */
export type Parser<T> = ((text: string, cwd: string) => T) & {
  /** All that it takes, where these are a few words. */
  readonly choices?: readonly string[];
};

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

/** Milliseconds of the units in which retention is written. */
const UNITS: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

/** Longest retention, in milliseconds: a hundred years. */
const RETENTION_MAX = 36_500 * 864e5;

/** How long something is kept, in milliseconds: `90d`, `12h`, `30m` or `45s`; null: for ever. */
export function parseRetention(text: string): number | null {
  if (text === 'none') return null;
  const [, number = '', unit = ''] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(number || NaN) * (UNITS[unit] ?? NaN);
  if (ms >= 1_000 && ms <= RETENTION_MAX) return ms;
  throw new RangeError('must be like 90d, 12h, 30m or 45s, from 1s to 36500d, or none');
}

/** A whole number from 1 on. */
export function positiveInteger(text: string): number {
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= 1 && Number.isSafeInteger(number)) return number;
  throw new RangeError('must be a whole number from 1 on');
}

/** As many runs and scopes as a document of MongoDB has room for, each with the longest texts. */
const RUNS_MAX = 13_000;

/** How many runs and scopes a task may have: as many as a document has room for, at most. */
export function parseRunsMost(text: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= RUNS_MAX)
    return Number(text);
  throw new RangeError(`must be a whole number from 1 to ${RUNS_MAX}`);
}

/** A whole number, or `none` or 0 where there is no bound; returns Infinity then. */
export function parseBound(text: string): number {
  if (text === 'none' || text === '0') return Infinity;
  if (/^[0-9]{1,9}$/.test(text) && Number(text) >= 1) return Number(text);
  throw new RangeError('must be a whole number, or none');
}

/** `on` or `off`, and what people write for it. */
export const parseSwitch: Parser<boolean> = Object.assign(readSwitch, { choices: ['on', 'off'] });

function readSwitch(text: string): boolean {
  const value = SWITCHES[text.toLowerCase()];
  if (value !== undefined) return value;
  throw new RangeError('must be on or off');
}

/** One of a few words. */
export function oneOf<T extends string>(...words: readonly T[]): Parser<T> {
  const read = (text: string): T => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw new RangeError(`must be one of ${words.join(', ')}`);
  };
  return Object.assign(read, { choices: words });
}

/** A path, absolute from here on. */
export function parsePath(text: string, cwd: string): string {
  return path.resolve(cwd, text);
}

/** The same of a folder, which may be missing so far. */
export function parseFolder(text: string, cwd: string): string {
  const folder = parsePath(text, cwd);
  if (leadsIntoFile(folder)) throw new RangeError('is not a folder');
  return folder;
}

/** Most bytes of a socket's path: systems take 103, and the lock beside it has five more. */
const SOCKET_PATH_MAX = 98;
/** Bytes of the place in its folder in which a socket is made. */
const SOCKET_PATH_SPARE = 12;

/** `127.0.0.1:7070`, `[::1]:7070`, `:7070`, `7070`, or `unix:<path>`. */
export function parseListener(text: string, cwd: string): Listener {
  const [, socket] = /^unix:(.+)$/.exec(text) ?? [];
  if (socket !== undefined) return { socket: socketPath(path.resolve(cwd, socket)) };
  const found = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]\s/]+)?:)?([0-9]{1,5})$/.exec(text);
  const port = Number(found?.[2] ?? NaN);
  if (port >= 0 && port <= 65_535) {
    const host = found?.[1] ?? '127.0.0.1';
    return { host: host.replaceAll(/[[\]]/g, ''), port };
  }
  throw new RangeError('must be host:port, a port, or unix:<path>');
}

function socketPath(file: string): string {
  const spared = Buffer.byteLength(path.dirname(file)) + SOCKET_PATH_SPARE;
  if (Math.max(Buffer.byteLength(file), spared) <= SOCKET_PATH_MAX) return file;
  throw new RangeError(
    `must be a shorter path: ${SOCKET_PATH_MAX} bytes at most, ` +
      `and ${SOCKET_PATH_MAX - SOCKET_PATH_SPARE} of them for its folder`,
  );
}

/** `backstep.example, 10.0.0.5`: names and addresses with commas; IPv6 in brackets or without. */
export function parseHosts(text: string): readonly string[] {
  const hosts = text.split(',').map((host) => host.trim().toLowerCase());
  return hosts.flatMap((host) => {
    if (host === '') return [];
    if (/^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/.test(host)) return [host];
    const address = host.replaceAll(/^\[|\]$/g, '');
    if (/^[\da-f:]*:[\da-f:.]*:[\da-f:.]*$/.test(address)) return [address];
    throw new RangeError('must be host names without ports, with commas between them');
  });
}

/** `intern.example, 10.0.0.5, fd00::/8`: names, addresses and networks with commas. */
export function parseHostsAndNetworks(text: string): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase());
  return entries.flatMap((entry) => {
    if (entry === '') return [];
    const [host = '', bits, ...more] = entry.split('/');
    const version = isIP(host);
    const isName = version === 0 && /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/.test(host);
    const bitsMax = version === 4 ? 32 : 128;
    const isNetwork = version > 0 && /^\d{1,3}$/.test(bits ?? '0') && Number(bits ?? 0) <= bitsMax;
    if (more.length === 0 && (isNetwork || (isName && bits === undefined))) return [entry];
    throw new RangeError(
      'must be host names, addresses or networks such as 10.0.0.0/8, with commas',
    );
  });
}

/** `REGION, STAGE`: names of variables with commas. Our own are not for flows: some are secrets. */
export function parseVariableNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return names.flatMap((name) => {
    if (name === '') return [];
    if (/^BACKSTEP_(?!X_)/i.test(name)) {
      throw new RangeError(`must not list ${name}: settings of Backstep are not for flows`);
    }
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [name];
    throw new RangeError('must be names of variables, with commas between them');
  });
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
  const urls = urlsIn(text);
  const isUrl = (url: string): boolean => /^amqps?:\/\/[^/\s]+/.test(url) && URL.canParse(url);
  if (urls.every(isUrl)) return { kind: 'amqp', urls };
  throw new RangeError(
    'must be memory:, amqps://user:password@host/vhost or amqp://, or several of these with commas',
  );
}

/** An absolute URL of one of these protocols. */
export function urlOf(...protocols: readonly string[]): Parser<string> {
  return (text) => {
    const protocol = URL.canParse(text) ? new URL(text).protocol : '';
    if (protocols.includes(protocol.slice(0, -1))) return text;
    throw new RangeError(`must be a URL with ${protocols.join(':// or ')}://`);
  };
}

/** Ways to say whose a request is, in the order in which they are shown. */
const WAYS = ['keys', 'oidc', 'mtls', 'proxy'] as const;

/** A way to say whose a request is. */
type Way = (typeof WAYS)[number];

/** How requests say whose they are: `off`, `token`, or ways with commas. */
export type AuthSetting =
  | 'off'
  | 'token'
  | Way
  | `${Way},${Way}`
  | `${Way},${Way},${Way}`
  | `${Way},${Way},${Way},${Way}`;

/** `off`, `token`, or `keys`, `oidc`, `mtls` and `proxy` with commas, in any order. */
export function parseAuth(text: string): AuthSetting {
  if (text === 'off' || text === 'token') return text;
  const words = new Set(text.split(',').map((word) => word.trim()));
  const ways = WAYS.filter((way) => words.has(way));
  if (ways.length > 0 && ways.length === words.size) return ways.join(',') as AuthSetting;
  throw new RangeError('must be off, token, or some of keys, oidc, mtls and proxy with commas');
}

/** Whether requests may say whose they are in this way. */
export function takes(auth: AuthSetting | null, way: Way): boolean {
  return auth?.split(',').includes(way) === true;
}

/** Address of what is sent or gives secrets: https, or http on loopback; as it is written. */
export function parseSafeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const host = url?.hostname.replaceAll(/[[\]]/g, '') ?? '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(host));
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === '';
  if (isSafe && isPlain) return text;
  throw new RangeError('must be a URL with https://, or http:// on loopback, without a query');
}

/** Scheme, host and port of a web address, without a slash at the end. */
export function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && url.href === `${url.origin}/`) return url.origin;
  throw new RangeError('must be https:// or http:// with a host, and a port if need be, no path');
}

/** `https://app.example, http://localhost:5173`: origins of pages, with commas. */
export function parseOrigins(text: string): readonly string[] {
  const origins = text.split(',').map((origin) => origin.trim());
  return origins.flatMap((origin) => {
    if (origin === '') return [];
    if (origin === '*') {
      throw new RangeError('must list each origin by itself: * would let every page ask');
    }
    return [parseOrigin(origin)];
  });
}

/** A claim, or the way to it with dots. */
export function parseClaim(text: string): string {
  if (/^[^\s\p{Cc}]{1,200}$/u.test(text)) return text;
  throw new RangeError('must be the name of a claim; dots lead into it');
}

/** The name of a build. */
export function parseBuild(text: string): string {
  if (/^[^\p{C}\p{Z}]{1,100}$/u.test(text)) return text;
  throw new RangeError('must be 1 to 100 characters without spaces, like 1.4.2 or 3f2ac01');
}

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES_MIN = 24;

/** The secret that signs messages: `whsec_` and base64, or any text; 24 bytes or more. */
export function parseSigningSecret(text: string): string {
  const key = text.startsWith(SECRET_PREFIX)
    ? Buffer.from(text.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(text);
  if (key.length >= SECRET_BYTES_MIN) return text;
  const command = "node -p \"'whsec_' + crypto.randomBytes(32).toString('base64')\"";
  throw new RangeError(`must have ${SECRET_BYTES_MIN} bytes or more; make one with: ${command}`);
}

const SECRET_KEY_BYTES = 32;

/** Keys of AES-256 with commas: 32 bytes each, in base64 or hexadecimal; returns hexadecimal. */
export function parseSecretKeys(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const written = part.trim();
    if (/^[\da-f]{64}$/i.test(written)) return written.toLowerCase();
    const isBase64 = /^[\w+/-]{43}=?$/.test(written);
    const bytes = Buffer.from(isBase64 ? written : '', 'base64');
    if (bytes.length === SECRET_KEY_BYTES) return bytes.toString('hex');
    const command = 'node -p "crypto.randomBytes(32).toString(\'base64\')"';
    throw new RangeError(
      `must be ${SECRET_KEY_BYTES} bytes in base64 or hexadecimal, or several such keys with ` +
        `commas; make one with: ${command}`,
    );
  });
}

/** Whether a listener is reached by this machine only. */
export function isLocal(listener: Listener): boolean {
  return 'socket' in listener || isLoopback(listener.host);
}

/** Whether a listener of this host is reached by this machine only. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|(::|0:0:0:0:0:0:0:)0{0,3}1)$/i.test(host);
}

/** A command as `module.command`. */
export function parseCommandName(text: string): {
  readonly module: string;
  readonly command: string;
} {
  const [module = '', command = '', ...more] = text.split('.');
  if (!NAME.test(module) || !NAME.test(command) || more.length > 0) {
    throw new Error('must be a command as module.command');
  }
  return { module, command };
}

const NAME = /^[A-Za-z][\w-]*$/;
