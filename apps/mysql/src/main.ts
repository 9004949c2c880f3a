import { runProcess } from '#nest';
import { mysqlProcess } from './mysql.process.js';

await runProcess(mysqlProcess);
