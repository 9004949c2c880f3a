import { runProcess } from '#process';
import { httpProcess } from './http.process.js';

await runProcess(httpProcess);
