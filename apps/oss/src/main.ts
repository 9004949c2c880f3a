import { runProcess } from '#nest';
import { ossProcess } from './oss.process.js';

await runProcess(ossProcess);
