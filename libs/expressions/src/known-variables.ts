/** Variables of expressions besides `$` and the functions of JSONata. None may be redefined. */
export const SCENE_VARIABLES: readonly string[] = [
  'input',
  'steps',
  'state',
  'task',
  'index',
  'env',
  'now',
];

/** Functions of JSONata that would make an answer depend on more than the question, and why not. */
export const FORBIDDEN_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['eval', 'an expression is only what is written in the flow'],
  ['millis', 'the moment when the step was reached is $now()'],
  ['random', 'an expression gives the same whenever it is asked again'],
  ['shuffle', 'an expression gives the same whenever it is asked again'],
]);

/** Functions of JSONata whose answer depends on their arguments alone. */
export const FUNCTIONS: readonly string[] = [
  'abs',
  'append',
  'assert',
  'average',
  'base64decode',
  'base64encode',
  'boolean',
  'ceil',
  'clone',
  'contains',
  'count',
  'decodeUrl',
  'decodeUrlComponent',
  'distinct',
  'each',
  'encodeUrl',
  'encodeUrlComponent',
  'error',
  'exists',
  'filter',
  'floor',
  'formatBase',
  'formatInteger',
  'formatNumber',
  'fromMillis',
  'join',
  'keys',
  'length',
  'lookup',
  'lowercase',
  'map',
  'match',
  'max',
  'merge',
  'min',
  'not',
  'number',
  'pad',
  'parseInteger',
  'power',
  'reduce',
  'replace',
  'reverse',
  'round',
  'sift',
  'single',
  'sort',
  'split',
  'spread',
  'sqrt',
  'string',
  'substring',
  'substringAfter',
  'substringBefore',
  'sum',
  'toMillis',
  'trim',
  'type',
  'uppercase',
  'zip',
];

/** `$env`: of the variables of a process those that are listed, and set. */
export function listedVariables(
  names: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const listed = names.flatMap((name): [string, string][] => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(listed);
}
