export { BadInstanceName } from './instance-name.js';
export { MysqlExecutor } from './mysql.executor.js';
export { MysqlModule, type MysqlOptions } from './mysql.module.js';
export { mysqlParts, mysqlProcess } from './mysql.process.js';
export { readCredentials } from './read-credentials.js';
