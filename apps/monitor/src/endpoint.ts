import { BlockList, isIP } from 'node:net';
import { isMetadata } from '#outbound';

/** Addresses that nobody serves a database at: this network, multicast, broadcast. */
const FORBIDDEN = new BlockList();
FORBIDDEN.addSubnet('0.0.0.0', 8, 'ipv4');
FORBIDDEN.addAddress('::', 'ipv6');
FORBIDDEN.addSubnet('224.0.0.0', 3, 'ipv4');
FORBIDDEN.addSubnet('ff00::', 8, 'ipv6');

const FORBIDDEN_NAME = /^metadata(\.|$)|(^|\.)metadata\.(google\.)?internal$/;
const ENDPOINT = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/;

/**
 * A host and, if given, its port, in the one spelling that means the same to everybody; null where
 * it is none, or one that Prometheus must not be sent to: link-local addresses and metadata
 * services, however they are written. A name is not resolved: what it leads to is its owner's.
 */
export function checkedEndpoint(text: string): string | null {
  if (!ENDPOINT.test(text)) return null;
  const port = /:(\d+)$/.exec(text.replace(/^\[.*\]/, ''))?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return null;
  // The URL standard turns decimal, octal, hexadecimal and short addresses into plain ones.
  if (!URL.canParse(`http://${text}`)) return null;
  const host = new URL(`http://${text}`).hostname.replace(/\.$/, '');
  const address = host.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  if (family === 0 ? FORBIDDEN_NAME.test(address) : isForbidden(address, family)) return null;
  return port === undefined ? host : `${host}:${Number(port)}`;
}

function isForbidden(address: string, family: number): boolean {
  return isMetadata(address) || FORBIDDEN.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
