export { examineDatabase } from './database-look.js';
export { DocumentRefused, UnsuitableServer } from './failure.js';
export { MongoStore } from './mongo-store.js';
export { openMongoStore } from './open.js';
export type { MongoStoreOptions } from './options.js';
