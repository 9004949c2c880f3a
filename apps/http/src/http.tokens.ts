/** Injection tokens of the executor's dependencies. */
export const HTTP_CLIENT = Symbol('HTTP_CLIENT');
export const HTTP_CLOCK = Symbol('HTTP_CLOCK');
