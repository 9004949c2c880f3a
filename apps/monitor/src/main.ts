import { runProcess } from '#process';
import { monitorProcess } from './monitor.process.js';

await runProcess(monitorProcess);
