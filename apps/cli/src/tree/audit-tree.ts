import type { Command } from 'commander';
import type { Bind } from './call.js';

const VERIFY_EXAMPLE = `
Says which entry was changed, removed or moved. That entries are missing at the end, nobody can tell
who does not know the last one: give what an earlier run printed, kept elsewhere.

Example:
  $ backstep audit verify --head 4711:9f86d08188...`;

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
  const verify = audit
    .command('verify')
    .description('check that no entry was changed, removed or moved')
    .option('--head <seq:hash>', 'an entry that must be there, as an earlier run printed it')
    .addHelpText('after', VERIFY_EXAMPLE);
  bind(verify, async () => (await import('../commands/audit.js')).auditVerify);
}
