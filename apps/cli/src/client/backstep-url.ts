import path from 'node:path';

const SOCKET = /^unix:(.+)$/;

/** The path of the socket that a URL names; null: it names a host. */
export function socketIn(url: string): string | null {
  return SOCKET.exec(url)?.[1] ?? null;
}

/** Whether a URL is of this machine alone. */
export function isOfThisMachine(url: string): boolean {
  if (socketIn(url) !== null) return true;
  return LOOPBACK.test(new URL(url).hostname);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** A URL as it is asked: the path of a socket is absolute. Null: it is no URL of Backstep. */
export function readUrl(text: string, cwd: string): string | null {
  const socket = socketIn(text);
  if (socket !== null) return `unix:${path.resolve(cwd, socket)}`;
  return /^https?:\/\//.test(text) && URL.canParse(text) ? text : null;
}
