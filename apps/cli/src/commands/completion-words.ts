import { EXIT, type ExitCode } from '../exit.js';
import type { BackstepClient } from '../client/backstep-client.js';
import type { Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';

/** Nobody waits longer than this for words after pressing a key, in milliseconds. */
const ANSWER_MS = 1_000;
/** Tasks that are offered. */
const TASKS = '50';

const WORDS: Readonly<Record<string, (client: BackstepClient) => Promise<readonly string[]>>> = {
  flow: async (client) => {
    return (await client.listFlows()).items.map(({ name }) => name);
  },
  task: async (client) => {
    return (await client.listTasks({ limit: TASKS })).items.map(({ taskId }) => taskId);
  },
};

/** `completion-words <what>`: what a gateway has of it; nothing where none answers. */
export async function completionWords(session: Session, call: Call): Promise<ExitCode> {
  try {
    const words = (await WORDS[textArg(call, 0)]?.(session.brief(ANSWER_MS))) ?? [];
    // Others would be words of the shell.
    for (const word of words.filter((text) => /^[\w.-]+$/.test(text))) session.print(word);
  } catch {
    session.signal.throwIfAborted();
  }
  return EXIT.done;
}
