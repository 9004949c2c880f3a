import { runProcess } from '#nest';
import { standaloneProcess } from './standalone.process.js';

await runProcess(standaloneProcess);
