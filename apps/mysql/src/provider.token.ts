/** Injects what makes instances. */
export const INSTANCE_PROVIDER = Symbol('instance provider');
