import { runProcess } from '#process';
import { resourceProcess } from './resource.process.js';

await runProcess(resourceProcess);
