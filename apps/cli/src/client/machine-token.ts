import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { LocalToken } from '#access';
import { newSecret, SystemClock } from '#machine';
import { CliError, EXIT } from '../exit.js';
import type { Terminal } from '../terminal/terminal.js';
import { isOfThisMachine } from './backstep-url.js';
import type { Connected } from './reach.js';

/** Asks a server to show that it knows the token, and with which nonce to sign. */
const CHALLENGE_HEADER = 'x-backstep-challenge';
const PROOF_HEADER = 'x-backstep-proof';
const NONCE_HEADER = 'x-backstep-nonce';

/** Where the token may be, and for whom. */
interface MachineTokenOptions {
  readonly url: string;
  readonly terminal: Pick<Terminal, 'cwd' | 'env'>;
}

/** A request that is to be signed. */
interface Unsigned extends Connected {
  readonly method: string;
  /** Undefined: it has none. */
  readonly body: string | undefined;
}

/** A server that has shown that it knows the token. */
interface Known {
  readonly token: LocalToken;
  readonly end: string;
  readonly nonce: string;
}

/**
 * The token of the data folder of this machine's Backstep, for commands that were given no other.
 * It is looked for once a server asks for it, and never sent: requests are signed with it, each for
 * the one process at the other end of its connection. Another user may listen where Backstep did,
 * or pass on to it what is sent there.
 */
export class MachineToken {
  readonly #challenge = newSecret().secret;
  #known: Known | undefined;
  /** Tells the ends of connections apart; undefined: nothing was signed yet. */
  #endOf: ((connected: Connected) => string) | undefined;
  #last: Connected | undefined;
  #isGreeted = false;

  private constructor(private readonly options: MachineTokenOptions) {}

  /** Undefined for a URL of another machine: nothing is signed for it. */
  static for(options: MachineTokenOptions): MachineToken | undefined {
    return isOfThisMachine(options.url) ? new MachineToken(options) : undefined;
  }

  /** Whether the usual place has a token, and the server was not asked yet whether it knows it. */
  get isWorthGreeting(): boolean {
    const { cwd, env } = this.options.terminal;
    const file = path.resolve(cwd, env['BACKSTEP_DATA'] || '.backstep', 'token');
    return !this.#isGreeted && existsSync(file);
  }

  /**
   * The headers of a request over a connection: a signature, once a server is known. Throws where
   * the connection leads elsewhere.
   */
  headersFor(request: Unsigned): Readonly<Record<string, string>> {
    this.#last = request;
    const asking = { [CHALLENGE_HEADER]: this.#challenge };
    if (this.#known === undefined || this.#endOf === undefined) return asking;
    const { end, nonce, token } = this.#known;
    if (this.#endOf(request) !== end) throw new Error('another process has taken its place');
    const { body = '', method, target } = request;
    const digest = body === '' ? '' : digestOf(body);
    const signature = token.sign({ end, method, target, digest }, nonce);
    return {
      ...asking,
      ...(digest !== '' && { 'content-digest': digest }),
      authorization: `Backstep ${signature}`,
    };
  }

  /**
   * A link that signs a browser in, at the address of the server itself: a name may lead a browser
   * elsewhere. Undefined: no token was asked for.
   */
  link(): { readonly url: string; readonly ticket: string } | undefined {
    if (this.#known === undefined || this.#last === undefined) return undefined;
    const url = withAddress(this.options.url, this.#last);
    return { url, ticket: this.#known.token.ticket() };
  }

  /**
   * Whether an answer asks for a signature, and so the request is to be sent again. Throws a
   * `CliError` where the server asks for the token, and does not know this one.
   */
  async isAskedFor({ headers, status }: Response): Promise<boolean> {
    this.#isGreeted = true;
    const [proof, nonce] = [headers.get(PROOF_HEADER), headers.get(NONCE_HEADER)];
    if (status !== 401 || proof === null || nonce === null || !this.#last) return false;
    const { terminal, url } = this.options;
    const folder = await dataFolder(terminal);
    // Loaded late: most commands are asked for no token.
    const { connectionEnd, findToken, LocalToken } = await import('#access');
    this.#endOf = ({ address, port }) => connectionEnd(address, port);
    const text = findToken(folder);
    if (text === null) throw notHere(folder);
    const clock = new SystemClock();
    const chance = (): string => newSecret().secret;
    const token = new LocalToken({ token: text, userName: '', clock, newSecret: chance });
    const end = this.#endOf(this.#last);
    if (!token.isGreeting({ nonce, proof }, { challenge: this.#challenge, end })) {
      throw notKnown(url, folder);
    }
    this.#known = { token, end, nonce };
    return true;
  }
}

function digestOf(body: string): string {
  return `sha-256=:${hash('sha256', body, 'base64')}:`;
}

/** With TLS the name stays: a certificate is for it, and nobody else has one. */
function withAddress(url: string, { address }: Connected): string {
  if (address === undefined || !url.startsWith('http:')) return url;
  const place = new URL(url);
  place.hostname = address.includes(':') ? `[${address}]` : address;
  return place.href;
}

const HINT =
  'Run the command in the folder in which Backstep was started, or name the file of its token with ' +
  'BACKSTEP_TOKEN_FILE.';

function notHere(folder: string): CliError {
  const sentence = `Backstep asks for its token, and ${folder} has none that this user may read`;
  return new CliError(EXIT.endedOtherwise, sentence, HINT);
}

function notKnown(url: string, folder: string): CliError {
  const sentence = `what listens at ${url} does not know the token in ${folder}, or passes on what it is sent`;
  return new CliError(EXIT.endedOtherwise, sentence, HINT);
}

/** As a process that is started here would have it. */
async function dataFolder({ cwd, env }: MachineTokenOptions['terminal']): Promise<string> {
  const { loadSettings, SettingsError } = await import('#settings');
  const only = (names: readonly string[]): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(names.map((name) => [name, env[name]]));
  const place = only(['BACKSTEP_DATA', 'BACKSTEP_STORE', 'BACKSTEP_STORE_FILE', 'STATE_DIRECTORY']);
  try {
    return loadSettings({ mode: 'start', isForShow: true, env: place, cwd }).data;
  } catch (error) {
    // No process could be started here. One that was may still have the usual folder.
    if (!(error instanceof SettingsError)) throw error;
    return path.resolve(cwd, '.backstep');
  }
}
