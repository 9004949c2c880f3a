import type { JsonObject } from '#core';
import type { HttpApi, JsonObject as ApiJsonObject } from '../../../../schemas/http-api.js';

/** The type of an answer, by the name of its schema in the document. Presenters return it. */
export type Shown<Name extends keyof HttpApi> = Written<HttpApi[Name]>;

/** The same type with the core's JSON in the place of that of clients. */
type Written<T> = T extends readonly (infer Item)[]
  ? readonly Written<Item>[]
  : T extends object
    ? ApiJsonObject extends T
      ? JsonObject
      : { readonly [Name in keyof T]: Written<T[Name]> }
    : T;

/** A moment, in milliseconds since 1970, as most answers show it: ISO 8601. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
