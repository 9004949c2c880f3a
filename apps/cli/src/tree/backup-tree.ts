import type { Command } from 'commander';
import type { Bind } from './call.js';

const EXAMPLE = `
The gateway at --url copies its store while it works, and all that belongs to it, as they were at
one moment: a task that was accepted before the command began is in the copy. It needs the role
admin. Where nothing listens, and no --url was given, the files that the settings name are copied.
Every page of the copy is checked. To restore it, start Backstep with BACKSTEP_DATA=<folder>, or
with a copy of it. The store of the distributed set is MongoDB, which has its own tools.

Exit codes: 0 the copy is whole, 2 the folder is not empty or cannot be written, 4 the store is
MongoDB, or a process that does not listen there has it open, 5 there is no store, or it is damaged.

Example:
  $ backstep backup /backup/$(date +%F)`;

/** The command that copies a store. */
export function addBackupCommand(root: Command, bind: Bind): void {
  const backup = root
    .command('backup')
    .description('copy the store of a standalone process, while it runs or stopped')
    .argument('<folder>', 'where; must be new or empty')
    .addHelpText('after', EXAMPLE);
  bind(backup, async () => (await import('../commands/backup.js')).backup);
}
