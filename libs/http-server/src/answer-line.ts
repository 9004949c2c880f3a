import type { onSendHookHandler } from 'fastify';

/** Answers that are one JSON text; texts of flows (`application/jsonc`) are sent as written. */
const JSON_TYPE = /^application\/json(?:;|$)/;

/**
 * Ends an answer in JSON with a newline: in a terminal the prompt begins on a line of its own.
 * Problems bring theirs along, as some are answered before there are hooks.
 */
export const endLine: onSendHookHandler = (...[, reply, payload, done]) => {
  const isJson = typeof payload === 'string' && JSON_TYPE.test(typeOf(reply));
  done(null, isJson ? `${payload}\n` : payload);
};

function typeOf(reply: Parameters<onSendHookHandler>[1]): string {
  const type = reply.getHeader('content-type');
  return typeof type === 'string' ? type : '';
}
