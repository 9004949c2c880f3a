import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type Exceptions, mayReach } from './address-rules.js';

/** Gives all addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Thrown where a URL leads to an address that must not be reached. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** The addresses that this machine knows for a name. */
const resolveByMachine: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** Finds out where a host is, and refuses it where any of its addresses may not be reached. */
export class CheckedResolver {
  readonly #exceptions: Exceptions;
  readonly #resolve: Resolve;

  constructor(exceptions: Exceptions, resolve: Resolve = resolveByMachine) {
    this.#exceptions = exceptions;
    this.#resolve = resolve;
  }

  /** Throws `AddressRefused`, or what the resolving of a name throws. */
  async addressesOf({ hostname }: URL): Promise<readonly string[]> {
    const host = hostname.replaceAll(/^\[|\]$|\.$/g, '');
    const addresses = isIP(host) > 0 ? [host] : await this.#resolve(host);
    const wrong = addresses.find((address) => !mayReach(host, address, this.#exceptions));
    if (wrong === undefined && addresses.length > 0) return addresses;
    throw new AddressRefused(refusal(host, wrong));
  }
}

function refusal(host: string, wrong: string | undefined): string {
  if (wrong === undefined) return `${host} has no address`;
  const subject = host === wrong ? host : `${host} is ${wrong}, which`;
  return `${subject} is not public, and BACKSTEP_HTTP_ALLOW does not list it`;
}

/** Answers a connection's lookup of an address with those that were checked, and no others. */
export function lookupAmong(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all === true) callback(null, known);
    else callback(null, known[0]!.address, known[0]!.family);
  };
}
