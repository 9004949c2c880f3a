import { runProcess } from '#process';
import { ossProcess } from './oss.process.js';

await runProcess(ossProcess);
