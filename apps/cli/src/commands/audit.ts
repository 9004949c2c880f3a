import { ChainCheck } from '#access';
import type { AuditReport } from '../client/backstep-client.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textOption } from '../tree/call.js';
import { pagesOf, wantedItems } from './pages.js';

const LIMIT = 50;
const PAGE_MAX = 1_000;

const STYLE: RowStyle<AuditReport> = {
  name: ({ seq }) => `${seq}`,
  columns: [
    { title: 'SEQ', value: ({ seq }) => `${seq}`, align: 'right' },
    { title: 'AT', value: ({ at }) => at.slice(0, 19).replace('T', ' ') },
    { title: 'ACTOR', value: ({ actor }) => actor },
    { title: 'STATUS', value: ({ status }) => `${status}`, align: 'right' },
    { title: 'REQUEST', value: ({ operation, target }) => `${operation.split(' ')[0]} ${target}` },
    { title: 'REASON', value: ({ reason }) => reason ?? '' },
  ],
};

/** `audit list` */
export async function auditList(session: Session, call: Call): Promise<ExitCode> {
  const wanted = wantedItems(call, LIMIT);
  const entries: AuditReport[] = [];
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

/** `audit verify` */
export async function auditVerify(session: Session, call: Call): Promise<ExitCode> {
  const head = readHead(textOption(call, 'head'));
  const check = new ChainCheck();
  let isHeadThere = head === null;
  for await (const page of entryPages(session, { first: 'oldest' }, Infinity)) {
    for (const entry of page) {
      const wrong = check.take({ ...entry, at: Date.parse(entry.at) });
      if (wrong !== null) {
        throw new CliError(EXIT.endedOtherwise, `entry ${wrong.seq} is ${wrong.fault}`);
      }
      isHeadThere ||= head === `${entry.seq}:${entry.hash}`;
    }
  }
  const { hash, seq } = check.last ?? { seq: 0, hash: '' };
  if (!isHeadThere) {
    throw new CliError(
      EXIT.endedOtherwise,
      `entry ${head?.split(':')[0]} is not the one of --head`,
    );
  }
  session.say(`${seq} entries, none changed, removed or moved. The last one:`);
  const { output } = session.options;
  if (output === 'json' || output === 'jsonl') session.printJson({ seq, hash });
  else session.print(`${seq}:${hash}`);
  return EXIT.done;
}

function readHead(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (/^\d+:[0-9a-f]{64}$/.test(text)) return text;
  throw new CliError(EXIT.usage, '--head must be <number>:<hash>, as `audit verify` prints it');
}

function entryPages(
  session: Session,
  order: Readonly<Record<string, string>>,
  wanted: number,
): AsyncGenerator<readonly AuditReport[]> {
  const client = session.asking();
  const limits = { wanted, pageMax: PAGE_MAX };
  return pagesOf((query) => client.listAudit({ ...order, ...query }), limits);
}
