/** The schema of this name in the document. */
export function ref(name: string): object {
  return { $ref: pathOf(name) };
}

function pathOf(name: string): string {
  return `#/components/schemas/${name}`;
}

/**
 * One of the schemas of these names, told apart by a member. `values` names the schema of each of
 * its values.
 */
export function told(member: string, values: Readonly<Record<string, string>>): object {
  const mapping = Object.entries(values).map(([value, name]) => [value, pathOf(name)]);
  const oneOf = [...new Set(Object.values(values))].map(ref);
  return { oneOf, discriminator: { propertyName: member, mapping: Object.fromEntries(mapping) } };
}

/** Text of which these values are known, and to which later versions may add others. */
export function growing(values: readonly string[], description: string): object {
  return { type: 'string', description, 'x-extensible-enum': values };
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

/** Of a page of a list. */
export const PAGE = object({
  nextCursor: {
    type: ['string', 'null'],
    description: 'The `cursor` of the next page; null: there is none.',
  },
});

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
