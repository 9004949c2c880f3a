export { standaloneProcess } from './standalone.process.js';
export { type StandaloneOptions, startStandalone } from './start-standalone.js';
