import { runProcess } from '#process';
import { standaloneProcess } from './standalone.process.js';

await runProcess(standaloneProcess);
