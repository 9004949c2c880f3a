import type { Command } from 'commander';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';

/** Words that may follow a command. `path`: the words of the command, each after a blank. */
interface Place {
  readonly path: string;
  readonly words: readonly string[];
}

const SHELLS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `completion <shell>`: a script made of the command tree. */
export async function completion(session: Session, call: Call): Promise<ExitCode> {
  const shell = textArg(call, 0);
  const write = SHELLS[shell];
  if (write === undefined) {
    const known = Object.keys(SHELLS).join(', ');
    throw new CliError(EXIT.usage, `there is no completion for "${shell}", only for ${known}`);
  }
  session.print(write(placesOf(call.root, '', optionsOf(call.root))));
  return EXIT.done;
}

function placesOf(command: Command, path: string, everywhere: readonly string[]): Place[] {
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const names = command.commands.map((child) => child.name());
  const words = [...names, ...choices, ...new Set([...optionsOf(command), ...everywhere])];
  const children = command.commands.flatMap((child) => {
    return placesOf(child, `${path} ${child.name()}`, everywhere);
  });
  return [{ path, words }, ...children];
}

function optionsOf(command: Command): string[] {
  return command.options.flatMap(({ long }) => (long ? [long] : []));
}

/** Lines of a `case` that finds the command that was written so far. */
function pathCase(places: readonly Place[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|');
}

function wordCases(places: readonly Place[], variable: string): string {
  const lines = places.map(({ path, words }) => {
    return `    '${path}') ${variable}='${words.join(' ')}' ;;`;
  });
  return lines.join('\n');
}

function bashScript(places: readonly Place[]): string {
  return `_backstep() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${pathCase(places)}) path="$path $word" ;;
    esac
  done
  case "$path" in
${wordCases(places, 'words')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _backstep backstep`;
}

function zshScript(places: readonly Place[]): string {
  // `words` and `CURRENT` are zsh's own here.
  return `#compdef backstep
_backstep() {
  local at='' choices='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${pathCase(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${wordCases(places, 'choices')}
  esac
  compadd -- \${=choices}
  _files
}
compdef _backstep backstep`;
}

function fishScript(places: readonly Place[]): string {
  const known = places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join(' ');
  const lines = places.map(({ path, words }) => {
    return `complete -c backstep -n "test (__backstep_path) = '${path}'" -a '${words.join(' ')}'`;
  });
  return `function __backstep_path
  set -l path ''
  for word in (commandline -opc)[2..-1]
    contains -- "$path $word" ${known}; and set path "$path $word"
  end
  echo "$path"
end
${lines.join('\n')}`;
}
