export { standaloneProcess } from './standalone.process.js';
