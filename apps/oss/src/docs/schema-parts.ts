/** The schema of this name in the document. */
export function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** A list of such items. */
export function listOf(items: object): object {
  return { type: 'array', items };
}

/** An object that has all of these members but the optional ones. */
export function object(
  properties: Readonly<Record<string, object>>,
  optional: readonly string[] = [],
): object {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

/** The author of something that goes on by itself; null: nobody was asked for a key. */
export const AUTHOR = {
  oneOf: [
    { type: 'null' },
    object({
      keyId: { type: 'string', description: 'Id of the key, or `<issuer>#<subject>` of a token.' },
      gone: { type: 'boolean', description: 'The key was revoked or has expired.' },
    }),
  ],
};
