import { runProcess } from '#process';
import { labProcess } from './lab.process.js';

await runProcess(labProcess);
