import { runProcess } from '#nest';
import { monitorProcess } from './monitor.process.js';

await runProcess(monitorProcess);
