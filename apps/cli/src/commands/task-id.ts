import type { BackstepClient } from '../client/backstep-client.js';
import type { ActionOrder, TaskPage } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { type PageQuery, pagesOf } from './pages.js';

/** The beginning of an id, and not the whole of one. */
const BEGINNING = /^[0-9a-f-]{8,35}$/i;

/** The end of an id, as the console shows it. Ids begin with a time: their ends tell them apart. */
const END = /^(?:…|\.\.\.)?([0-9a-f-]{6,35})$/i;

/** How many of the newest tasks an end is compared with. */
const COMPARED_MAX = 2_000;

/** How many tasks are named whose ids are alike. */
const NAMED_MAX = 10;

type Item = TaskPage['items'][number];

/**
 * The id that the first argument means: itself, or the only one that begins or ends so; an end is
 * compared with the newest tasks. Throws a `CliError` that lists them where several do.
 */
export async function taskId(client: BackstepClient, call: Call): Promise<string> {
  const written = textArg(call, 0);
  const found = BEGINNING.test(written) ? await beginningWith(client, written) : [];
  if (found.length > 0) return onlyOne(found, { written, way: 'begin' });
  const [, end] = END.exec(written) ?? [];
  const ended = end === undefined ? [] : await endingWith(client, end);
  // Whoever is asked for it says that there is no such task.
  return ended.length === 0 ? written : onlyOne(ended, { written, way: 'end' });
}

/** The child tasks that a retry or a reset begins again; one of them is written as its id. */
export function whichChildren(call: Call): Pick<ActionOrder, 'children'> {
  const text = textOption(call, 'children');
  if (text === undefined) return {};
  return { children: text === 'failed' || text === 'all' ? text : { id: text } };
}

async function beginningWith(client: BackstepClient, text: string): Promise<readonly Item[]> {
  const query = { idPrefix: text.toLowerCase(), limit: `${NAMED_MAX + 1}` };
  return (await client.listTasks(query)).items;
}

async function endingWith(client: BackstepClient, text: string): Promise<readonly Item[]> {
  const end = text.toLowerCase();
  const ask = (page: PageQuery) => client.listTasks(page);
  const found: Item[] = [];
  for await (const page of pagesOf(ask, { wanted: COMPARED_MAX })) {
    found.push(...page.filter(({ taskId: id }) => id.endsWith(end)));
    if (found.length > NAMED_MAX) break;
  }
  return found;
}

function onlyOne(
  items: readonly Item[],
  { written, way }: { written: string; way: string },
): string {
  const [only] = items;
  if (only !== undefined && items.length === 1) return only.taskId;
  const named = items.slice(0, NAMED_MAX).map((item) => {
    return 'flow' in item ? `  ${item.taskId}  ${item.flow}  ${item.status}` : `  ${item.taskId}`;
  });
  const more = items.length > NAMED_MAX ? ['  and more'] : [];
  const sentence = `several tasks have ids that ${way} with ${written}: write more of it`;
  throw new CliError(EXIT.usage, sentence, [...named, ...more].join('\n'));
}
