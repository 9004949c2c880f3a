import { Problem } from '#http-server';

/** The answer where too many checks of parameters and flow files wait already. */
export function tooManyChecks(): Problem {
  const headers = { 'retry-after': '2' };
  return new Problem('TOO_MANY_REQUESTS', 'Too many requests wait to be checked.', { headers });
}
