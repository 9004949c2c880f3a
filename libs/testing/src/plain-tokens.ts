import type { CompletionTokens, ReadToken } from '#ports';

/** Completion tokens that can be read, and guessed. */
export const PLAIN_TOKENS: CompletionTokens = {
  tokenOf: ({ attempt, direction, run, taskId }) => [taskId, run, direction, attempt].join(' '),
  read(token, { run, taskId }) {
    const known = `${taskId} ${run} `;
    const [direction = '', attempt = ''] = token.slice(known.length).split(' ');
    if (!token.startsWith(known) || attempt === '') return null;
    return { direction: direction as ReadToken['direction'], attempt: Number(attempt) };
  },
};
