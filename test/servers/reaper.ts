import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Reads what to look after, line by line. The end of its input is the end of the process that
 * started it, however that came: then it kills every process group, takes down every mount
 * and removes every folder.
 *
 * A killed server can still be creating files for a moment, hence the tries.
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=' '
mounts=
while read -r verb what; do
  case $verb in
    group) groups="$groups$what " ;;
    gone) case "$groups" in
      *" $what "*) groups="\${groups%% $what *} \${groups#* $what }" ;;
    esac ;;
    folder) set -- "$@" "$what" ;;
    mount) mounts="$mounts $what" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
for mount in $mounts; do umount -l "$mount" 2>/dev/null; done
tries=0
[ $# -eq 0 ] || until rm -rf -- "$@" 2>/dev/null; do
  tries=$((tries + 1))
  [ $tries -lt 50 ] || exit 1
  sleep 0.1
done
`;

let reaper: ChildProcess | undefined;

/** Has a process group killed when this process ends, be it by SIGKILL. */
export function reapGroup(leader: number): void {
  tell(`group ${leader}`);
}

/** Takes a group back that has ended: its number may be given to another process. */
export function forgetGroup(leader: number): void {
  tell(`gone ${leader}`);
}

/** Has a folder removed when this process ends. */
export function reapFolder(folder: string): void {
  tell(`folder ${folder}`);
}

/** Has something unmounted when this process ends; its path has no spaces. */
export function reapMount(folder: string): void {
  tell(`mount ${folder}`);
}

function tell(line: string): void {
  reaper ??= startReaper();
  reaper.stdin?.write(`${line}\n`);
}

/**
 * One shell for all servers of this process: in a session of its own, so that neither Ctrl-C nor
 * the end of the terminal reaches it, and without keeping this process alive.
 */
function startReaper(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}
