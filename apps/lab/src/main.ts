import { runProcess } from '#nest';
import { labProcess } from './lab.process.js';

await runProcess(labProcess);
