import type { BackstepClient } from '../client/backstep-client.js';
import { CliError, EXIT } from '../exit.js';
import { type Call, textArg } from '../tree/call.js';

/** The beginning of an id, and not the whole of one. */
const BEGINNING = /^[0-9a-f-]{8,35}$/i;

/** How many tasks are named whose ids begin alike. */
const NAMED_MAX = 10;

/**
 * The id that the first argument means: itself, or the only one that begins so. Throws a `CliError`
 * that lists them where several do.
 */
export async function taskId(client: BackstepClient, call: Call): Promise<string> {
  const written = textArg(call, 0);
  if (!BEGINNING.test(written)) return written;
  const query = { idPrefix: written.toLowerCase(), limit: `${NAMED_MAX + 1}` };
  const { items } = await client.listTasks(query);
  const [only] = items;
  // Whoever is asked for it says that there is no such task.
  if (only === undefined) return written;
  if (items.length === 1) return only.taskId;
  const named = items.slice(0, NAMED_MAX).map((item) => {
    return 'flow' in item ? `  ${item.taskId}  ${item.flow}  ${item.status}` : `  ${item.taskId}`;
  });
  const more = items.length > NAMED_MAX ? ['  and more'] : [];
  const sentence = `several tasks have ids that begin with ${written}: write more of it`;
  throw new CliError(EXIT.usage, sentence, [...named, ...more].join('\n'));
}
