import { ChainCheck, type EntryRange } from '#access';
import type { LoggedEntry } from '#ports';
import type { AuditItem, AuditReport } from '../client/audit-client.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textOption } from '../tree/call.js';
import { KeptHeads, readHeads, readPublicKeys } from './kept-heads.js';
import { pagesOf, wantedItems } from './pages.js';

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
export async function auditList(session: Session, call: Call): Promise<ExitCode> {
  const wanted = wantedItems(call, LIMIT);
  const entries: AuditItem[] = [];
  const names = ['actor', 'operation', 'target'] as const;
  const filter = names.flatMap((name): [string, string][] => {
    const text = textOption(call, name);
    return text === undefined ? [] : [[name, text]];
  });
  const order = { first: 'newest', ...Object.fromEntries(filter) };
  for await (const page of entryPages(session, order, wanted)) entries.push(...page);
  session.printRows(entries, STYLE);
  return EXIT.done;
}

/** `audit head` */
export async function auditHead(session: Session): Promise<ExitCode> {
  const head = await session.asking().audit.head();
  if (head === null) {
    const hint = 'Set BACKSTEP_AUDIT_KEY_FILE for the gateway.';
    throw new CliError(EXIT.notFound, 'nobody signs the audit log, or it is empty', hint);
  }
  // In one line whatever the format: files of heads have one in each.
  session.print(JSON.stringify(head));
  return EXIT.done;
}

/** `audit verify` */
export async function auditVerify(session: Session, call: Call): Promise<ExitCode> {
  const head = textOption(call, 'head');
  const kept = await keptHeads(session, call);
  const check = new ChainCheck();
  const unreadable: number[] = [];
  let isHeadThere = head === undefined || !ENTRY.test(head);
  for await (const page of entryPages(session, { first: 'oldest' }, Infinity)) {
    for (const entry of page) {
      const wrong = check.take(loggedOf(entry));
      if (wrong?.fault === 'unreadable') unreadable.push(wrong.seq);
      else if (wrong !== null) {
        throw new CliError(EXIT.endedOtherwise, `entry ${wrong.seq} is ${wrong.fault}`);
      }
      kept?.take(loggedOf(entry));
      isHeadThere ||= !('unreadable' in entry) && head === `${entry.seq}:${entry.hash}`;
    }
  }
  kept?.end(check.last?.seq ?? 0);
  expectReadable(unreadable);
  if (!isHeadThere) {
    throw new CliError(
      EXIT.endedOtherwise,
      `entry ${head?.split(':')[0]} is not the one of --head`,
    );
  }
  sayVerified(session, check, kept);
  return EXIT.done;
}

function sayVerified(session: Session, check: ChainCheck, kept: KeptHeads | null): void {
  const { last, unvouched } = check;
  const { hash, seq } = last ?? { seq: 0, hash: '' };
  sayUnvouched(session, unvouched);
  if (kept !== null) session.say(`Signed heads: ${kept.count}, and the log goes on behind each.`);
  session.say(`${seq} entries, none changed, removed or moved. The last one:`);
  const { output } = session.options;
  if (output === 'json' || output === 'jsonl') session.printJson({ seq, hash, unvouched });
  else session.print(`${seq}:${hash}`);
}

/** The heads of the file that `--head` names, if their signatures hold; null: it names none. */
async function keptHeads(session: Session, call: Call): Promise<KeptHeads | null> {
  const [head, keyFile] = [textOption(call, 'head'), textOption(call, 'publicKey')];
  const { cwd } = session.terminal;
  if (head === undefined || ENTRY.test(head)) {
    if (keyFile === undefined) return null;
    throw new CliError(EXIT.usage, '--public-key is for a file of signed heads: give --head FILE');
  }
  const kept = new KeptHeads(await readHeads(head, cwd));
  if (keyFile !== undefined) kept.expectSignedBy(await readPublicKeys(keyFile, cwd));
  else session.say('The signatures of the heads are not checked: give --public-key.');
  return kept;
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

function entryPages(
  session: Session,
  order: Readonly<Record<string, string>>,
  wanted: number,
): AsyncGenerator<readonly AuditItem[]> {
  const client = session.asking();
  const limits = { wanted, pageMax: PAGE_MAX };
  return pagesOf((query) => client.audit.list({ ...order, ...query }), limits);
}
