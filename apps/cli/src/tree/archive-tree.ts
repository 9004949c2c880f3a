import type { Command } from 'commander';
import { type Bind, collect } from './call.js';

const EXPORT_EXAMPLE = `
The tasks stay where they are. The gateway itself archives tasks that retention removes, where
BACKSTEP_ARCHIVE names a folder.

Example:
  $ backstep archive export --query 'flow:create-* age:>30d' --out ./old-tasks`;

const IMPORT_EXAMPLE = `
Each file is checked against the manifest before a task of it is put back. A task that is there
stays as it is. Retention keeps an imported task as long as one that has just ended.

Exit codes: 0 all tasks are there now, 2 the folder is no archive, or a file of it is damaged,
4 at least one task was refused.

Example:
  $ backstep archive import ./old-tasks`;

/** Commands about final tasks outside of the store. */
export function addArchiveCommands(root: Command, bind: Bind): void {
  const archive = root.command('archive').description('keep final tasks in files, and read them');
  const toFiles = archive
    .command('export')
    .description('write final tasks into a folder, without removing them')
    .requiredOption('--out <folder>', 'where; files are added to an archive that is there')
    .option('--query <text>', 'a search, such as: flow:create-* age:>30d')
    .option('--flow <name>', 'only tasks of this flow')
    .option('--status <names>', 'only with one of these states, separated by commas')
    .option('--label <key=value>', 'only with this label; may be repeated', collect)
    .addHelpText('after', EXPORT_EXAMPLE);
  bind(toFiles, async () => (await import('../commands/archive.js')).archiveExport);
  const back = archive
    .command('import')
    .description('put the tasks of an archive back')
    .argument('<folder>', 'where the archive is')
    .addHelpText('after', IMPORT_EXAMPLE);
  bind(back, async () => (await import('../commands/archive.js')).archiveImport);
}
