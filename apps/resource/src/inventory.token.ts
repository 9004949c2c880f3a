/** Injects the inventory. */
export const INVENTORY = Symbol('inventory');
