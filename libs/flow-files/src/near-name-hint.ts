import { DECLARATIONS } from '#kinds';
import { nearName, plainName } from '#wording';

/** Words of other workflow engines, and the words for the same things here. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    DECLARATIONS.flatMap(([kind, { otherWords = [] }]) => otherWords.map((word) => [word, kind])),
  ),
  args: 'parameters',
  arguments: 'parameters',
  compensate: 'rollback',
  compensation: 'rollback',
  dependencies: 'needs',
  default: 'otherwise',
  dependson: 'needs',
  else: 'otherwise',
  errorequals: 'errors',
  interval: 'delay',
  maxrounds: 'max',
  onerror: 'catch',
  maxattempts: 'attempts',
  maxinterval: 'maxDelay',
  params: 'parameters',
  retries: 'retry',
  schema: 'input',
  service: 'module',
  tasks: 'steps',
  undo: 'rollback',
  variables: 'constants',
};

/** `Did you mean ...?`, or else what is possible. */
export function nearNameHint(name: string, known: readonly string[]): string {
  const near = nearMeant(name, known);
  if (near !== undefined) return `Did you mean \`${near}\`?`;
  if (known.length === 0) return 'There is nothing to choose from here.';
  const shown = known.slice(0, 12).map((each) => `\`${each}\``);
  return `Possible here: ${shown.join(', ')}${known.length > shown.length ? ', ...' : ''}.`;
}

/**
 * How to write a name with a sign in it: `$steps.send-mail` subtracts `mail` from
 * `$steps.send`. Undefined: no known name begins like that.
 */
export function quotedNameHint(
  before: string,
  name: string,
  known: readonly string[],
): string | undefined {
  const meant = known.find(
    (each) => each.startsWith(name) && /^[-.]/.test(each.slice(name.length)),
  );
  if (meant === undefined) return undefined;
  const sign = meant[name.length]!;
  return `Write ${before}\`${meant}\`: a name with \`${sign}\` stands in back quotes.`;
}

/** The known name that the author probably meant; undefined: none. */
export function nearMeant(name: string, known: readonly string[]): string | undefined {
  return otherWord(name, known) ?? nearName(name, known);
}

function otherWord(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  const word = Object.hasOwn(OTHER_WORDS, plain) ? OTHER_WORDS[plain] : undefined;
  return word !== undefined && known.includes(word) ? word : undefined;
}
