import { runProcess } from '#nest';
import { httpProcess } from './http.process.js';

await runProcess(httpProcess);
