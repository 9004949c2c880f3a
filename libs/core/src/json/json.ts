/** A value that survives a round trip through JSON. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** A JSON object: parameters, outputs, labels' home. Members that are `undefined` do not exist. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };
