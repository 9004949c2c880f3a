import { runProcess } from '#nest';
import { resourceProcess } from './resource.process.js';

await runProcess(resourceProcess);
