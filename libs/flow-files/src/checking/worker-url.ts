/**
 * Where the worker's code is. A worker runs compiled code: where this file itself is run as
 * TypeScript, by a test runner, the worker is the one that the build has put in dist.
 */
export function defaultWorkerUrl(here = import.meta.url): URL {
  const compiled = here.replace(
    /\/libs\/flow-files\/src\/checking\/([^/]+)\.ts$/,
    '/dist/libs/flow-files/src/checking/$1.js',
  );
  return new URL('./worker.js', compiled);
}
