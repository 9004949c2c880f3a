/**
 * Where the process's code is. It runs compiled code: where this file itself is run as TypeScript,
 * by a test runner, that is what the build has put in dist.
 */
export function defaultWorkerUrl(here = import.meta.url): URL {
  const compiled = here.replace(
    /\/libs\/expressions\/src\/evaluation\/([^/]+)\.ts$/,
    '/dist/libs/expressions/src/evaluation/$1.js',
  );
  return new URL('./worker.js', compiled);
}
