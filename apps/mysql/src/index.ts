export { MysqlModule, type MysqlOptions } from './mysql.module.js';
export { mysqlParts, mysqlProcess } from './mysql.process.js';
