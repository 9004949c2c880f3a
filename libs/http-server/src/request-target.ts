import { pathOf } from './send-problem.js';

/** Some clients escape the colon of `/v1/tasks:batch`; to the router that is another letter. */
const ESCAPED_VERB = /%3A(?=[a-z]+(?:\?|$))/i;

/** Letters, digits and the like that are written as escapes, though they mean the same without. */
const NEEDLESS_ESCAPE = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** The target of a request in its plain spelling; what stands in its query stays as it is. */
export function plainTarget(url: string): string {
  if (!url.includes('%')) return url;
  const path = pathOf(url);
  const query = url.slice(path.length);
  return path.replaceAll(NEEDLESS_ESCAPE, decodeURIComponent).replace(ESCAPED_VERB, ':') + query;
}

/** A parameter in the router's writing, with the rule for its letters. */
const PARAMETER = /^:\w+(?:\([^)]*\))?/;

/**
 * Whether a target, as it was sent, spells a word of its route in escapes, or a part that is `.` or
 * `..`. The rules of a proxy before this process may know the plain words only. In what stands for
 * a parameter, such as the `~` in the id of a run, any spelling will do.
 */
export function hidesWords(target: string, route: string | undefined): boolean {
  const path = pathOf(target);
  if (!path.includes('%') || path.search(NEEDLESS_ESCAPE) === -1) return false;
  const words = (route ?? '').split('/');
  const isFile = words.at(-1) === '*';
  return path.split('/').some((part, n) => {
    if (part.search(NEEDLESS_ESCAPE) === -1) return false;
    const plain = part.replaceAll(NEEDLESS_ESCAPE, decodeURIComponent);
    if (/^\.{1,2}$/.test(plain)) return true;
    if (isFile && n >= words.length - 1) return false;
    return !isParameter(part, words[n] ?? '');
  });
}

/** Whether all escapes of a part stand for a parameter; a verb may follow it. */
function isParameter(part: string, word: string): boolean {
  const rule = PARAMETER.exec(word)?.[0];
  if (rule === undefined) return false;
  const verb = word.slice(rule.length).replaceAll('::', ':');
  return verb === '' || part.replace(ESCAPED_VERB, ':').endsWith(verb);
}
