import { BlockList, isIP } from 'node:net';

/** Where clouds hand out secrets of the machine that asks: all of link-local, and more. */
const METADATA_IPV4: readonly (readonly [string, number])[] = [
  ['169.254.0.0', 16],
  // Alibaba, Azure, Oracle.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
];

/** The same in IPv6: link-local, Amazon, Google, Oracle, Scaleway. */
const METADATA_IPV6: readonly (readonly [string, number])[] = [
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  ['fd00:c1::a9fe:a9fe', 128],
  ['fd00:42::42', 128],
  // In these it cannot be seen, or need not, which IPv4 they carry: nothing is served there.
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
];

/** IPv4 that no stranger's URL may lead to: this machine, its networks, and what is reserved. */
const REFUSED_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Inside the IPv6 of everybody: addresses that carry others, or are for documents. */
const REFUSED_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** Names and networks that may be reached although the rules refuse them. */
export interface Exceptions {
  /** In small letters. */
  readonly hosts: ReadonlySet<string>;
  readonly networks: BlockList;
}

/** Thrown for an entry that is neither the name of a host nor a network. */
export class WrongException extends Error {
  override readonly name = 'WrongException';
}

const metadata = new BlockList();
for (const [network, bits] of METADATA_IPV4) {
  metadata.addSubnet(network, bits, 'ipv4');
  for (const carrier of ['::', '64:ff9b::']) {
    metadata.addSubnet(`${carrier}${network}`, 96 + bits, 'ipv6');
  }
}
for (const [network, bits] of METADATA_IPV6) metadata.addSubnet(network, bits, 'ipv6');

const refused = new BlockList();
for (const [network, bits] of REFUSED_IPV4) refused.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of REFUSED_IPV6) refused.addSubnet(network, bits, 'ipv6');

/** Whether an address is of a cloud's metadata service or of the same link, in any form of it. */
export function isMetadata(address: string): boolean {
  const kind = kindOf(address);
  return kind !== null && metadata.check(address, kind);
}

/** The public IPv6 addresses. Any other one is of a machine, of a network, or carries IPv4. */
const everybodys = new BlockList();
everybodys.addSubnet('2000::', 3, 'ipv6');

/** Reads `intern.example`, `10.0.0.5`, `10.1.0.0/16` and `fd00::/8`. Throws `WrongException`. */
export function exceptionsOf(entries: readonly string[]): Exceptions {
  const hosts = new Set<string>();
  const networks = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...more] = entry.split('/');
    const kind = kindOf(address);
    if (kind === null && bits === undefined) hosts.add(entry.toLowerCase());
    else if (kind === null || more.length > 0) throw new WrongException(entry);
    else networks.addSubnet(address, bitsOf(entry, bits, kind), kind);
  }
  return { hosts, networks };
}

/** Whether a request may go to this address of this host. */
export function mayReach(host: string, address: string, exceptions: Exceptions): boolean {
  const kind = kindOf(address);
  if (kind === null) return false;
  if (exceptions.hosts.has(host.toLowerCase())) return true;
  if (exceptions.networks.check(address, kind)) return true;
  if (refused.check(address, kind) || metadata.check(address, kind)) return false;
  return kind === 'ipv4' || everybodys.check(address, kind);
}

function kindOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address);
  if (version === 0) return null;
  return version === 4 ? 'ipv4' : 'ipv6';
}

function bitsOf(entry: string, bits: string | undefined, kind: 'ipv4' | 'ipv6'): number {
  const most = kind === 'ipv4' ? 32 : 128;
  if (bits === undefined) return most;
  if (/^\d{1,3}$/.test(bits) && Number(bits) <= most) return Number(bits);
  throw new WrongException(entry);
}
