export { standaloneProcess, standaloneWith } from './standalone.process.js';
