/** What the executor is given by name. */
export const HTTP_CLIENT = Symbol('HTTP_CLIENT');
export const HTTP_CLOCK = Symbol('HTTP_CLOCK');
