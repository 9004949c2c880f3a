import { type KeyOrder, makeKey, WrongKeyOrder } from '#access';
import { newSecret, SystemClock, SystemEntropy } from '#machine';
import { KEY, recordsOf } from '#ports';
import { maskUrl, type Settings } from '#settings';
import type { HttpApi } from '../../../../schemas/http-api.js';
import { readToken } from '../client/credentials.js';
import type { KeyReport } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import {
  type Call,
  listOption,
  sayIgnoredUrl,
  textArg,
  textOption,
  textOptions,
} from '../tree/call.js';
import { readPairs } from './parameters.js';
import { readSettings } from './read-settings.js';

const STYLE: RowStyle<KeyReport> = {
  name: ({ id }) => id,
  columns: [
    { title: 'KEY', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'ROLE', value: ({ role }) => role },
    { title: 'LIMITS', value: limitsText },
    { title: 'EXPIRES', value: ({ expiresAt }) => dayText(expiresAt) },
    { title: 'LAST USED', value: ({ usedAt }) => dayText(usedAt) },
  ],
};

/** A key that was made: its id, and the text that is shown once. */
interface Made {
  readonly id: string;
  readonly key: string;
}

/** `key list` */
export async function keyList(session: Session): Promise<void> {
  session.printRows(await session.asking().listKeys(), STYLE);
}

/** `key revoke` */
export async function keyRevoke(session: Session, call: Call): Promise<void> {
  // A user who has only the key itself can revoke it as well: the key contains its id.
  const [, id] = /^bsk_([0-9a-f]+)_/.exec(textArg(call, 0)) ?? [];
  await session
    .asking()
    .ask('DELETE /v1/keys/{id}', { path: { id: id ?? textArg(call, 0) }, isOnce: true });
  session.say('The key is revoked. Within seconds it is refused.');
}

function limitsText({ flows, labels, modules }: KeyReport): string {
  const limits = [
    ...(flows === null ? [] : [`flows ${flows.join(',')}`]),
    ...Object.entries(labels ?? {}).map(([name, value]) => `label ${name}=${value}`),
    ...(modules === null ? [] : [`modules ${modules.join(',')}`]),
  ];
  return limits.join(', ') || '-';
}

function dayText(time: string | null): string {
  return time === null ? '-' : time.slice(0, 16).replace('T', ' ');
}

/** `key create` */
export async function keyCreate(session: Session, call: Call): Promise<void> {
  const isAdmin = call.options['admin'] === true;
  const isFirst = isAdmin && readToken(session.terminal) === undefined;
  const isInStore = isFirst || textOption(call, 'store') !== undefined;
  if (isInStore) {
    const why = 'with --store, or --admin and no BACKSTEP_TOKEN, the key is written to the store';
    sayIgnoredUrl(session, call, why);
  }
  const order = readOrder(call, isAdmin);
  const made = isInStore ? await inStore(session, call, order) : await overHttp(session, order);
  session.printOne(made, () => [made.key]);
  const revoke = session.typed(`key revoke ${made.id}`);
  session.say(`Keep it: it is not shown again. Take it back with: ${revoke}`);
}

function readOrder(call: Call, isAdmin: boolean): KeyOrder {
  const role = textOption(call, 'role') ?? (isAdmin ? 'admin' : undefined);
  if (role === undefined) throw new CliError(EXIT.usage, 'say what the key may do: --role <role>');
  if (isAdmin && role !== 'admin') {
    throw new CliError(EXIT.usage, '--admin makes an admin: leave --role out');
  }
  const labels = readPairs(listOption(call, 'label'), 'a label');
  return {
    name: textArg(call, 0),
    role,
    ...textOptions(call, ['flows', 'modules', 'expires']),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
}

async function overHttp(session: Session, order: KeyOrder): Promise<Made> {
  const asked = { body: order as HttpApi['CreateKey'], isOnce: true };
  const { id, key } = await session.asking().ask('POST /v1/keys', asked);
  return { id, key };
}

/** Whoever may write to the store may do everything anyway. */
async function inStore(session: Session, call: Call, order: KeyOrder): Promise<Made> {
  const store = textOption(call, 'store');
  const options = store === undefined ? {} : { store };
  const settings = await readSettings(session, { ...call, options });
  const { keys, now, close } = await openKeys(settings);
  try {
    const { record, text } = makeKey(order, newSecret(), now());
    await keys.put(record, null);
    // The settings of this shell are often not those of the process that the key is for.
    session.say(`The key is in the store ${nameOf(settings.store)}.`);
    return { id: record.id, key: text };
  } catch (error) {
    if (error instanceof WrongKeyOrder) throw new CliError(EXIT.usage, error.message);
    throw error;
  } finally {
    await close();
  }
}

function nameOf(store: Settings['store']): string {
  return store.kind === 'sqlite' ? store.file : maskUrl(store.url);
}

async function openKeys(settings: Settings) {
  const [{ openStore }, { SettingsError }] = await Promise.all([
    import('#process'),
    import('#settings'),
  ]);
  const observer = { committed: () => undefined, noticed: () => undefined };
  const parts = { clock: new SystemClock(), entropy: new SystemEntropy(), observer };
  try {
    const { clock, store } = await openStore(settings, parts);
    return {
      keys: recordsOf(store.records, KEY),
      now: () => clock.now(),
      close: () => store.close(),
    };
  } catch (error) {
    if (error instanceof SettingsError) throw new CliError(EXIT.usage, error.message);
    const hint =
      'Where Backstep runs on this file, stop it, or make the key over HTTP with the key of an admin ' +
      'in BACKSTEP_TOKEN instead, and without --store.';
    throw new CliError(EXIT.unreachable, (error as Error).message, hint);
  }
}
