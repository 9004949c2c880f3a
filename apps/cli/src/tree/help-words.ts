import type { Command } from 'commander';
import { nearName, readDuration } from '#wording';
import { CliError, EXIT } from '../exit.js';

/**
 * A command line that asks for help, as the command tree takes it: `help task watch` becomes `task
 * watch --help`. Others stay as they are. Throws a `CliError` that names an unknown command.
 */
export function withHelp(argv: readonly string[], root: Command): readonly string[] {
  const asked = helpWords(argv);
  if (asked === null) return argv;
  const { words, rest } = asked;
  let command = root;
  for (const word of words) {
    if (command.commands.length === 0) break;
    const next = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (next === undefined) throw unknown(word, command);
    command = next;
  }
  return [...words, '--help', ...rest];
}

/** `--wait` takes the word behind it only where that is a duration: any other goes before it. */
export function withWait(argv: readonly string[]): readonly string[] {
  const words = [...argv];
  for (const [n, word] of words.entries()) {
    const next = words[n + 1];
    if (word === '--' || next === undefined) break;
    if (word !== '--wait' || next.startsWith('-') || readDuration(next) !== null) continue;
    words.splice(n, 2, next, word);
  }
  return words;
}

/** The words of the command that help is asked for; null: it is not asked for. */
function helpWords(
  argv: readonly string[],
): { readonly words: readonly string[]; readonly rest: readonly string[] } | null {
  const isHelp = argv[0] === 'help';
  const all = isHelp ? argv.slice(1) : argv;
  const end = all.findIndex((word) => word.startsWith('-'));
  const words = end < 0 ? all : all.slice(0, end);
  const rest = end < 0 ? [] : all.slice(end);
  if (words.length === 0 || words.includes('help')) return null;
  return isHelp || rest[0] === '--help' || rest[0] === '-h' ? { words, rest } : null;
}

function unknown(word: string, command: Command): CliError {
  const names = command
    .createHelp()
    .visibleCommands(command)
    .map((one) => one.name());
  const near = nearName(word, names);
  const hint = near === undefined ? undefined : `Did you mean ${near}?`;
  return new CliError(EXIT.usage, `unknown command '${word}'`, hint);
}
