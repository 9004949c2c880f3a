import type { Command } from 'commander';
import { TASK_STATUS_NAMES } from '#core';
import type { BackstepClient } from '../client/backstep-client.js';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg, WORDS_COMMAND } from '../tree/call.js';

/** The names that a running gateway is asked for. */
type Asked = 'flow' | 'module' | 'task';

/** Words that may follow a command. `path`: the words of the command, each after a blank. */
interface Place {
  readonly path: string;
  readonly words: readonly string[];
  /** The kind of its first argument; undefined: a gateway does not know such names. */
  readonly asks: Asked | undefined;
}

/** Values of `--status`, which need no gateway. */
const STATUSES = [...TASK_STATUS_NAMES, 'failed', 'live'].join(' ');

const SHELLS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Nobody waits longer than this for words after pressing a key, in milliseconds. */
const ANSWER_MS = 1_000;

/** Tasks that are offered. */
const TASKS = '50';

const WORDS: Readonly<Record<Asked, (client: BackstepClient) => Promise<readonly string[]>>> = {
  flow: async (client) => {
    return (await client.listFlows()).items.map(({ name }) => name);
  },
  module: async (client) => {
    const { items, unserved } = await client.listExecutors();
    return [...new Set([...items, ...unserved].map(({ module }) => module))];
  },
  task: async (client) => {
    return (await client.listTasks({ limit: TASKS })).items.map(({ taskId }) => taskId);
  },
};

/** `completion <shell>`: a script made of the command tree. */
export async function completion(session: Session, call: Call): Promise<void> {
  const shell = textArg(call, 0);
  const write = SHELLS[shell];
  if (write === undefined) {
    const known = Object.keys(SHELLS).join(', ');
    throw new CliError(EXIT.usage, `there is no completion for "${shell}", only for ${known}`);
  }
  session.print(write(placesOf(call.root, '', optionsOf(call.root))));
}

function placesOf(command: Command, path: string, everywhere: readonly string[]): Place[] {
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const children = command.commands.filter((child) => child.name() !== WORDS_COMMAND);
  const names = children.map((child) => child.name());
  const words = [...names, ...choices, ...new Set([...optionsOf(command), ...everywhere])];
  const below = children.flatMap((child) => {
    return placesOf(child, `${path} ${child.name()}`, everywhere);
  });
  return [{ path, words, asks: askedBy(command, path) }, ...below];
}

function askedBy({ registeredArguments }: Command, path: string): Asked | undefined {
  const argument = registeredArguments[0]?.name();
  if (argument !== undefined && isAsked(argument)) return argument;
  return argument === 'name' && path.startsWith(' flow ') ? 'flow' : undefined;
}

function isAsked(what: string): what is Asked {
  return Object.hasOwn(WORDS, what);
}

/**
 * Lines of a `case` for the commands whose first argument a gateway has names for: `variable` gets
 * those besides. `program`: how the script has the program that it completes.
 */
function askingCases(places: readonly Place[], variable: string, program: string): string {
  const lines = Object.keys(WORDS).map((what) => {
    const asking = places.filter(({ asks }) => asks === what);
    const names = `$("${program}" ${WORDS_COMMAND} ${what} 2>/dev/null)`;
    return `      ${pathCase(asking)}) ${variable}="$${variable} ${names}" ;;`;
  });
  return lines.join('\n');
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
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    --status) words='${STATUSES}' ;;
    --flow) words="$("\${COMP_WORDS[0]}" ${WORDS_COMMAND} flow 2>/dev/null)" ;;
    *) case "$path" in
${askingCases(places, 'words', '${COMP_WORDS[0]}')}
    esac ;;
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
  case "\${words[CURRENT-1]}" in
    --status) choices='${STATUSES}' ;;
    --flow) choices="$("\${words[1]}" ${WORDS_COMMAND} flow 2>/dev/null)" ;;
    *) case "$at" in
${askingCases(places, 'choices', '${words[1]}')}
    esac ;;
  esac
  compadd -- \${=choices}
  _files
}
compdef _backstep backstep`;
}

function fishScript(places: readonly Place[]): string {
  const known = places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join(' ');
  const lines = places.map(({ path, words }) => {
    return completeAt(path, words.join(' '));
  });
  const asking = places.flatMap(({ asks, path }) => {
    return asks === undefined
      ? []
      : [completeAt(path, `(backstep ${WORDS_COMMAND} ${asks} 2>/dev/null)`)];
  });
  return `function __backstep_path
  set -l path ''
  for word in (commandline -opc)[2..-1]
    contains -- "$path $word" ${known}; and set path "$path $word"
  end
  echo "$path"
end
${[...lines, ...asking].join('\n')}
complete -c backstep -l status -x -a '${STATUSES}'
complete -c backstep -l flow -x -a '(backstep ${WORDS_COMMAND} flow 2>/dev/null)'`;
}

function completeAt(path: string, words: string): string {
  return `complete -c backstep -n "test (__backstep_path) = '${path}'" -a '${words}'`;
}

/** `completion-words <what>`: what a gateway has of it; nothing where none answers. */
export async function completionWords(session: Session, call: Call): Promise<void> {
  try {
    const what = textArg(call, 0);
    const words = isAsked(what) ? await WORDS[what](session.brief(ANSWER_MS)) : [];
    // Others would be words of the shell.
    for (const word of words.filter((text) => /^[\w.-]+$/.test(text))) session.print(word);
  } catch {
    session.signal.throwIfAborted();
  }
}
