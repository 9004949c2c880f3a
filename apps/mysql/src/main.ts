import { runProcess } from '#process';
import { mysqlProcess } from './mysql.process.js';

await runProcess(mysqlProcess);
