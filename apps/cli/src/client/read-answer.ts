import { readJson, WrongJson } from '#json';
import { CliError, EXIT } from '../exit.js';

/** A page of the largest tasks that there may be, and some more. */
const ANSWER_BYTES_MAX = 512 * 1024 * 1024;

/** The JSON that a server of Backstep answered with. Throws a `CliError` where it is none. */
export function readAnswer(text: string, url: string): unknown {
  try {
    return readJson(text, { bytes: ANSWER_BYTES_MAX, isOwn: true });
  } catch (error) {
    throw error instanceof WrongJson ? foreign(`${url} answered`) : error;
  }
}

/** Something answered that is not Backstep. */
export function foreign(what: string): CliError {
  const sentence = `${what} and not as Backstep does`;
  return new CliError(EXIT.unreachable, sentence, 'Is something else listening there?');
}
