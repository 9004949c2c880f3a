/** `backstep/standalone`, as a package. Held in test/architecture/public-api.spec.ts. */
export type { ProcessHandle } from '#process';
export type { Gateway, OwnModules } from './own-modules.js';
export { type StandaloneOptions, startStandalone } from './start-standalone.js';
