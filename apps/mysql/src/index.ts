export { BadInstanceName } from './instance-name.js';
export { MysqlExecutor } from './mysql.executor.js';
export { MysqlModule, type MysqlOptions } from './mysql.module.js';
export { mysqlParts, mysqlProcess, readCredentials } from './mysql.process.js';
