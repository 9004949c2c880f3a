/**
 * Where the worker's code is. A worker runs compiled code: where this file itself is run as
 * TypeScript, by a test runner, the worker is the bundle that the build has made of it.
 */
export function defaultWorkerUrl(here = import.meta.url): URL {
  const compiled = here.replace(
    /\/libs\/store-sqlite\/src\/([^/]+)\.ts$/,
    '/dist/programs/libs/store-sqlite/src/$1.js',
  );
  return new URL('./worker/main.js', compiled);
}
