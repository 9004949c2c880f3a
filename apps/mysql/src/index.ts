export { MysqlModule, type MysqlOptions } from './mysql.module.js';
