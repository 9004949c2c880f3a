export type { Allocation, Demand, Host, HostReport, Inventory, Size } from './inventory.js';
export { INVENTORY } from './inventory.token.js';
export { ResourceExecutor } from './resource.executor.js';
export { ResourceModule, type ResourceOptions } from './resource.module.js';
export { resourceParts, resourceProcess } from './resource.process.js';
