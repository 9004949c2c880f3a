/**
 * The values of the claim that names roles or groups, each once; dots in `path` lead into objects.
 */
export function rolesIn(
  claims: Readonly<Record<string, unknown>>,
  path: string,
): readonly string[] {
  return [...new Set(valuesOf(claimAt(claims, path)))];
}

/** A claim of exactly this name, such as one that is a URL; else the way that its dots lead. */
function claimAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    return (at as Readonly<Record<string, unknown>>)[name];
  }, claims);
}

/** A list of texts, or one text with spaces between its words. */
function valuesOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(/\s+/).filter((word) => word !== '');
  if (!Array.isArray(claim)) return [];
  return claim.filter((value): value is string => typeof value === 'string');
}
