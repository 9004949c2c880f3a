import type { Command } from 'commander';
import type { Bind } from './call.js';

const VERIFY_EXAMPLE = `
Says which entry was changed, removed or moved. That entries are missing at the end, nobody can tell
who does not know the last one: give what an earlier run printed, or signed heads, kept elsewhere.
A file of heads has one in each line, as \`backstep audit head\` prints it and the gateway logs it.

Examples:
  $ backstep audit verify --head 4711:9f86d08188...
  $ backstep audit verify --head heads.jsonl --public-key audit.pub`;

/** Commands about the audit log. */
export function addAuditCommands(root: Command, bind: Bind): void {
  const audit = root.command('audit').description('look at who did what, and check that log');
  const list = audit
    .command('list')
    .description('entries, the newest first')
    .option('--actor <text>', 'only those whose actor has this text')
    .option('--operation <text>', 'only those whose operation has this text, such as :terminate')
    .option('--target <text>', 'only those whose address has this text, such as the id of a task')
    .option('--limit <number>', 'how many (default: 50)')
    .option('--all', 'all of them, page after page');
  bind(list, async () => (await import('../commands/audit.js')).auditList);
  const head = audit
    .command('head')
    .description('the last entry, signed by the gateway, as a line to keep elsewhere');
  bind(head, async () => (await import('../commands/audit.js')).auditHead);
  const verify = audit
    .command('verify')
    .description('check that no entry was changed, removed or moved')
    .option('--head <seq:hash or file>', 'an entry that must be there, or a file of signed heads')
    .option('--public-key <file>', 'PEM file of keys: heads and removals must be signed with one')
    .addHelpText('after', VERIFY_EXAMPLE);
  bind(verify, async () => (await import('../commands/audit.js')).auditVerify);
}
