import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Ends the groups that are left when its standard input closes, and so when the worker has died:
 * nobody else would, and their actions are soon handed to other workers. Then it removes the folder
 * of the worker.
 */
const SCRIPT = `
groups=' '
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    drop) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
if [ "$groups" != ' ' ]; then
  for group in $groups; do kill -s TERM -- "-$group"; done
  sleep 2
  for group in $groups; do kill -s KILL -- "-$group"; done
fi
rm -rf -- "$1"
`;

/** Outlives the worker for as long as it takes to end the programs that it leaves. */
export class GroupKeeper {
  readonly #shell: ChildProcess;
  readonly #ended: Promise<unknown>;

  /** `folder`: holds the folders of the attempts. */
  constructor(folder: string) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', folder], {
      // In a group of its own: what ends that of the worker does not end it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#ended = once(this.#shell, 'exit').catch(() => {});
    this.#shell.stdin?.on('error', () => {});
    this.#shell.unref();
  }

  /** The group of a program is to end with the worker. */
  add(group: number): void {
    this.#shell.stdin?.write(`add ${group}\n`);
  }

  /** It has ended. */
  drop(group: number): void {
    this.#shell.stdin?.write(`drop ${group}\n`);
  }

  /** Resolves once what is left has ended, and the folder is removed. */
  async close(): Promise<void> {
    this.#shell.ref();
    this.#shell.stdin?.end();
    await this.#ended;
  }
}
