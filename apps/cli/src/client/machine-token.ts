import path from 'node:path';
import type { LocalToken } from '#access';
import { newSecret, SystemClock } from '#machine';
import { CliError, EXIT } from '../exit.js';
import type { Terminal } from '../terminal/terminal.js';
import { isOfThisMachine, portOf } from './backstep-url.js';

/** Asks who answers to show that it knows the token, before it is told the token. */
export const CHALLENGE_HEADER = 'x-backstep-challenge';
const PROOF_HEADER = 'x-backstep-proof';

/** Where the token may be, and for whom. */
interface MachineTokenOptions {
  readonly url: string;
  readonly terminal: Pick<Terminal, 'cwd' | 'env'>;
}

/**
 * The token of the data folder of this machine's Backstep, for commands that were given no other.
 * It is looked for once somebody asks for it, and shown to nobody who does not know it: another
 * user may listen where Backstep did.
 */
export class MachineToken {
  readonly challenge = newSecret().secret;
  #known: LocalToken | undefined;
  #text: string | undefined;

  private constructor(private readonly options: MachineTokenOptions) {}

  /** Undefined for a URL of another machine: nothing is sent there. */
  static for(options: MachineTokenOptions): MachineToken | undefined {
    return isOfThisMachine(options.url) ? new MachineToken(options) : undefined;
  }

  /** The token, once somebody has shown to know it. */
  get text(): string | undefined {
    return this.#text;
  }

  /** The secret of a link that signs a browser in there; undefined: the token is not asked for. */
  ticket(): string | undefined {
    return this.#known?.ticket();
  }

  /**
   * Whether an answer asks for the token that is here, and so the request is to be sent again with
   * it. Throws a `CliError` where it asks for one, and does not know this one.
   */
  async isAskedFor({ headers, status }: Response): Promise<boolean> {
    const proof = headers.get(PROOF_HEADER);
    if (status !== 401 || proof === null || this.#known !== undefined) return false;
    const { terminal, url } = this.options;
    const folder = await dataFolder(terminal);
    // Loaded late: most commands are asked for no token.
    const { findToken, LocalToken } = await import('#access');
    const text = findToken(folder);
    if (text === null) throw notHere(folder);
    const clock = new SystemClock();
    const chance = (): string => newSecret().secret;
    const token = new LocalToken({ token: text, userName: '', clock, newSecret: chance });
    if (!token.isProof(proof, { challenge: this.challenge, port: portOf(url) })) {
      throw notKnown(url, folder);
    }
    this.#known = token;
    this.#text = text;
    return true;
  }
}

const HINT =
  'Run the command in the folder in which Backstep was started, or name the file of its token with ' +
  'BACKSTEP_TOKEN_FILE.';

function notHere(folder: string): CliError {
  const sentence = `Backstep asks for its token, and ${folder} has none that this user may read`;
  return new CliError(EXIT.endedOtherwise, sentence, HINT);
}

function notKnown(url: string, folder: string): CliError {
  const sentence = `what listens at ${url} does not know the token in ${folder}: it is not sent there`;
  return new CliError(EXIT.endedOtherwise, sentence, HINT);
}

/** As a process that is started here would have it. */
async function dataFolder({ cwd, env }: MachineTokenOptions['terminal']): Promise<string> {
  const { loadSettings, SettingsError } = await import('#settings');
  const only = (names: readonly string[]): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(names.map((name) => [name, env[name]]));
  const place = only(['BACKSTEP_DATA', 'BACKSTEP_STORE', 'BACKSTEP_STORE_FILE']);
  try {
    return loadSettings({ mode: 'start', isForShow: true, env: place, cwd }).data;
  } catch (error) {
    // No process could be started here. One that was may still have the usual folder.
    if (!(error instanceof SettingsError)) throw error;
    return path.resolve(cwd, '.backstep');
  }
}
