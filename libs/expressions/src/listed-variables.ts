/** `$env`: of the variables of a process those that are listed, and set. */
export function listedVariables(
  names: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const listed = names.flatMap((name): [string, string][] => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(listed);
}
