import type { CommandContext } from '#ports';

/**
 * Names of the instances that are to be accounted for: those that the steps before have made
 * (`instance` of a single one, or one object per member of a cluster, each with its own
 * `instance`), else the one that the parameters name. Empty where none is named.
 *
 * Made instances are read from the results of steps alone, so a request cannot pose as a step.
 */
export function instancesIn({
  parameters,
  results,
}: Pick<CommandContext, 'parameters' | 'results'>): readonly string[] {
  const made = Object.values(results).flatMap((result) => [result, ...Object.values(result)]);
  const names = new Set(made.flatMap(nameIn));
  return names.size > 0 ? [...names].toSorted() : nameIn(parameters);
}

function nameIn(value: unknown): readonly string[] {
  const { instance } = (value ?? {}) as { readonly instance?: unknown };
  return typeof instance === 'string' && instance !== '' ? [instance] : [];
}
