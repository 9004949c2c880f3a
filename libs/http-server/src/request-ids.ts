import type { IncomingMessage } from 'node:http';

/** The form of a request id that is taken over from its sender. */
const SANE = /^[\w.:~-]{1,128}$/;

/**
 * Makes the function that gives each request its id: the sender's where it is sane, else a new one.
 */
export function requestIds(prefix: string): (request: Pick<IncomingMessage, 'headers'>) => string {
  let count = 0;
  return (request) => {
    const given = request.headers['x-request-id'];
    if (typeof given === 'string' && SANE.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
