import type { TestedFlow } from '#workshop/flow-test';
import type { BackstepClient } from '../client/backstep-client.js';
import { CliError, EXIT } from '../exit.js';

/** The flow that is drilled, as its file defines it. */
interface DrilledFlow {
  readonly name: string;
  readonly hash: string;
}

/**
 * The newest version of a gateway that is the flow of the file, and so is what a drill of the file
 * tells of. Throws a `CliError` where there is none.
 */
export async function versionOf(
  client: BackstepClient,
  { hash, name }: DrilledFlow,
): Promise<number> {
  const found = (await client.listVersions(name)).find((one) => one.hash === hash);
  if (found !== undefined) return found.version;
  const sentence = `no version of ${name} there is the one of the file, so that nothing is drilled`;
  throw new CliError(EXIT.conflict, sentence, 'Store it first: `backstep flow put`.');
}

/** Keeps in a gateway how a version fared. */
export async function recordDrill(
  client: BackstepClient,
  path: { readonly name: string; readonly version: number },
  tested: readonly TestedFlow[],
): Promise<void> {
  await client.ask('PUT /v1/flows/{name}/versions/{version}/drill', {
    path,
    body: figuresOf(tested),
  });
}

/** The undisturbed play of each scenario counts as one as well. */
function figuresOf(tested: readonly TestedFlow[]): {
  readonly failures: number;
  readonly total: number;
} {
  const failures = tested.reduce((sum, one) => sum + failuresOf(one), 0);
  return { failures, total: tested.reduce((sum, { cells }) => sum + cells.length + 1, 0) };
}

function failuresOf({ cells, passed }: TestedFlow): number {
  const unmet = cells.filter(({ met }) => !met).length;
  return passed ? 0 : Math.max(1, unmet);
}
