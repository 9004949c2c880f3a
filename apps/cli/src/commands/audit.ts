import type { KeyObject } from 'node:crypto';
import { ChainCheck, type ChainStart, type EntryRange, isAnchorSigned } from '#access';
import type { LoggedEntry } from '#ports';
import type { BackstepClient } from '../client/backstep-client.js';
import type { AuditItem, AuditReport } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textOption, textOptions } from '../tree/call.js';
import { KeptHeads, readHeads, readPublicKeys } from './kept-heads.js';
import { itemsOf, type PageQuery, pagesOf, wantedItems } from './pages.js';

const LIMIT = 50;
const PAGE_MAX = 1_000;

/** An entry, as `audit verify` prints the last one. */
const ENTRY = /^\d+:[0-9a-f]{64}$/;

/** Unreadable entries that are told, at most, and places that nothing vouches for. */
const SHOWN_MAX = 10;

const STYLE: RowStyle<AuditItem> = {
  name: ({ seq }) => `${seq}`,
  columns: [
    { title: 'SEQ', value: ({ seq }) => `${seq}`, align: 'right' },
    { title: 'AT', value: inEntry(({ at }) => at.slice(0, 19).replace('T', ' ')) },
    { title: 'ACTOR', value: inEntry(({ actor }) => actor) },
    { title: 'STATUS', value: inEntry(({ status }) => `${status}`), align: 'right' },
    {
      title: 'REQUEST',
      value: inEntry(({ operation, target }) => `${operation.split(' ')[0]} ${target}`),
    },
    { title: 'REASON', value: reasonOf },
  ],
};

/** The cell of an entry; of one that cannot be read nothing is known. */
function inEntry(cell: (entry: AuditReport) => string): (item: AuditItem) => string {
  return (item) => ('unreadable' in item ? '' : cell(item));
}

function reasonOf(item: AuditItem): string {
  return 'unreadable' in item ? `cannot be read: ${item.unreadable}` : (item.reason ?? '');
}

/** `audit list` */
export async function auditList(session: Session, call: Call): Promise<void> {
  const wanted = wantedItems(call, LIMIT);
  const order = { first: 'newest', ...textOptions(call, ['actor', 'operation', 'target']) };
  const ask = entries(session.listing(wanted), order);
  session.printRows(await itemsOf(ask, { wanted, pageMax: PAGE_MAX }), STYLE);
}

/** `audit head` */
export async function auditHead(session: Session): Promise<void> {
  const { head } = await session.asking().ask('GET /v1/audit/head', {});
  if (head === null) {
    const hint = 'Set BACKSTEP_AUDIT_KEY_FILE for the gateway.';
    throw new CliError(EXIT.notFound, 'the audit log is not signed, or it is empty', hint);
  }
  // In one line whatever the format: files of heads have one in each.
  session.print(JSON.stringify(head));
}

/** `audit verify` */
export async function auditVerify(session: Session, call: Call): Promise<void> {
  const head = textOption(call, 'head');
  const { keys, kept } = await vouchers(session, call);
  const check = new ChainCheck((entry) => keys === null || isAnchorSigned(entry, keys));
  const unreadable: number[] = [];
  let isHeadThere = head === undefined || !ENTRY.test(head);
  const ask = entries(session.listing(Infinity), { first: 'oldest' });
  for await (const page of pagesOf(ask, { pageMax: PAGE_MAX })) {
    for (const entry of page) {
      const wrong = check.take(loggedOf(entry));
      if (wrong?.fault === 'unreadable') unreadable.push(wrong.seq);
      else if (wrong !== null) throw wrongAt(wrong);
      kept?.take(loggedOf(entry));
      isHeadThere ||= !('unreadable' in entry) && head === `${entry.seq}:${entry.hash}`;
    }
    session.progress(`checked up to entry ${page.at(-1)?.seq ?? 0}`);
  }
  const { start } = check;
  expectBeginning(check, keys !== null);
  const gone = kept?.end(check) ?? 0;
  expectReadable(unreadable);
  // Dates in front of a head are those that were there when it was kept.
  const vouched = kept?.newest ?? (isHeadThere ? Number(head?.split(':')[0] ?? 0) : 0);
  expectDates(check.fallen.find((seq) => seq > vouched));
  if (!isHeadThere && head !== `${start.seq}:${start.hash}`) throw notThere(head ?? '', start);
  if (kept !== null) sayHeads(session, kept.count, gone);
  sayVerified(session, check);
}

function wrongAt({ fault, seq }: { readonly fault: string; readonly seq: number }): CliError {
  return new CliError(EXIT.endedOtherwise, `entry ${seq} is ${fault}`);
}

function expectBeginning(check: ChainCheck, areSigned: boolean): void {
  const wrong = check.end();
  if (wrong === null) return;
  const which = areSigned ? 'no entry signed with that key' : 'no entry';
  const hint = `Entries 1 to ${check.start.seq} are gone, and ${which} says that retention did it.`;
  throw new CliError(EXIT.endedOtherwise, wrongAt(wrong).message, hint);
}

function expectDates(fallen: number | undefined): void {
  if (fallen === undefined) return;
  const sentence = `entry ${fallen} is dated long before one in front of it`;
  const hint = 'A clock was wrong, or somebody wrote to the store. A head behind it tells which.';
  throw new CliError(EXIT.endedOtherwise, sentence, hint);
}

function notThere(head: string, start: ChainStart): CliError {
  const [seq] = head.split(':');
  if (Number(seq) > start.seq || start.seq === 0) {
    return new CliError(EXIT.endedOtherwise, `entry ${seq} is not the one of --head`);
  }
  const sentence = `entry ${seq} of --head was removed by retention`;
  return new CliError(EXIT.endedOtherwise, sentence, 'Give a newer entry.');
}

function sayHeads(session: Session, count: number, gone: number): void {
  session.say(`Signed heads: ${count}, and the log goes on behind each.`);
  if (gone > 0) session.say(`Not compared: ${gone}, as retention has removed their entries.`);
}

function sayVerified(session: Session, check: ChainCheck): void {
  const { last, start, unvouched } = check;
  const { hash, seq } = last ?? { seq: 0, hash: '' };
  sayUnvouched(session, unvouched);
  sayRemoved(session, check);
  session.say(`${seq - start.seq} entries, none changed, removed or moved. The last one:`);
  const said = { seq, hash, removed: start.seq, unvouched };
  session.printOne(said, () => [`${seq}:${hash}`]);
}

function sayRemoved(session: Session, { removal, start }: ChainCheck): void {
  if (removal === null || start.seq === 0) return;
  const at = new Date(removal.at).toISOString();
  session.say(`Entries 1 to ${start.seq} were removed by retention, the last ones at ${at}.`);
  const { unsigned } = removal;
  if (unsigned > 0)
    session.say(`Up to entry ${unsigned} no signature told of it: nothing vouches.`);
}

/** The keys that signatures must be of, and the heads to compare; null: none are given. */
interface Vouchers {
  readonly keys: readonly KeyObject[] | null;
  readonly kept: KeptHeads | null;
}

async function vouchers(session: Session, call: Call): Promise<Vouchers> {
  const [head, keyFile] = [textOption(call, 'head'), textOption(call, 'publicKey')];
  const { cwd } = session.terminal;
  const keys = keyFile === undefined ? null : await readPublicKeys(keyFile, cwd);
  if (head === undefined || ENTRY.test(head)) return { keys, kept: null };
  const kept = new KeptHeads(await readHeads(head, cwd));
  if (keys !== null) kept.expectSignedBy(keys);
  else session.say('The signatures of the heads are not checked: give --public-key.');
  return { keys, kept };
}

function loggedOf(item: AuditItem): LoggedEntry {
  return 'unreadable' in item ? item : { ...item, at: Date.parse(item.at) };
}

/** All others are as they were: that is said as well, because it was checked. */
function expectReadable(unreadable: readonly number[]): void {
  const [first, ...more] = unreadable;
  if (first === undefined) return;
  const shown = [first, ...more.slice(0, SHOWN_MAX - 1)].join(', ');
  const which =
    more.length < SHOWN_MAX ? shown : `${shown} and ${more.length + 1 - SHOWN_MAX} more`;
  const what = more.length === 0 ? `entry ${which} is` : `entries ${which} are`;
  throw new CliError(EXIT.endedOtherwise, `${what} unreadable; none of the others is changed`);
}

/** They can be read by now, and what they say need not be what they said. */
function sayUnvouched(session: Session, ranges: readonly EntryRange[]): void {
  for (const { from, to } of ranges.slice(0, SHOWN_MAX)) {
    const which = from === to ? `Entry ${from} was` : `Entries ${from} to ${to} were`;
    session.say(`${which} unreadable when entry ${to + 1} was written: nothing vouches for them.`);
  }
  const more = ranges.length - SHOWN_MAX;
  if (more > 0) session.say(`The same holds of ${more} more places.`);
}

/** Asks for a page of entries in this order. */
function entries(client: BackstepClient, order: Readonly<Record<string, string>>) {
  return (query: PageQuery) => client.ask('GET /v1/audit', { query: { ...order, ...query } });
}
