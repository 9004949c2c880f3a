import type { onSendHookHandler } from 'fastify';

/** Answers that are one JSON text. Texts of flows (`application/jsonc`) are sent as they were written. */
const JSON_TYPE = /^application\/json(?:;|$)/;

/**
 * Ends an answer in JSON with a newline: in a terminal the prompt begins on a line of its own.
 * Problems bring theirs along, as some are answered before there are hooks.
 */
export const endLine: onSendHookHandler<unknown> = (_request, reply, payload, done) => {
  const isJson =
    typeof payload === 'string' && JSON_TYPE.test(`${reply.getHeader('content-type')}`);
  done(null, isJson ? `${payload}\n` : payload);
};
