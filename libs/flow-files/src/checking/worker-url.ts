/**
 * Where the process's code is. It runs compiled code: where this file itself is run as TypeScript,
 * by a test runner, that is the bundle which the build has made of it.
 */
export function defaultWorkerUrl(here = import.meta.url): URL {
  const compiled = here.replace(
    /\/libs\/flow-files\/src\/checking\/([^/]+)\.ts$/,
    '/dist/programs/libs/flow-files/src/checking/$1.js',
  );
  return new URL('./worker.js', compiled);
}
