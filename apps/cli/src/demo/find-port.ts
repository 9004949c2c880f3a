import { isFree, nextFreePort } from '#machine';
import { CliError, EXIT } from '../exit.js';

const HOST = '127.0.0.1';

/** The port itself if it is free, else, if `others` will do, the next one that is. */
export async function findPort(
  port: number,
  { others }: { readonly others: boolean },
): Promise<number> {
  const place = { host: HOST, port };
  const found = others ? await nextFreePort(place) : (await isFree(place)) ? port : null;
  if (found !== null) return found;
  throw new CliError(EXIT.endedOtherwise, `port ${port} is in use`, 'Choose another with --port.');
}
