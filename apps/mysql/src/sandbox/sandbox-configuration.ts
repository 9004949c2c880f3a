import { createHash } from 'node:crypto';
import type { InstanceSpec } from '../instance.js';

/** The notice at the top of everything that the sandbox writes. */
export const NOTICE =
  'This is a sandbox: no database server runs here. ' +
  'Set BACKSTEP_MYSQL_PROVIDER=server and BACKSTEP_MYSQL_URL to make real instances.';

/** Not resolvable on purpose (RFC 2606), so that nobody takes it for a server. */
export function sandboxEndpoint(instance: string): string {
  return `${instance}.sandbox.invalid:3306`;
}

/** The configuration that a server of this size would be given. */
export function sandboxConfiguration(spec: InstanceSpec, password: string): string {
  const { connections, instance, memory, role } = spec;
  const pool = memory === null ? null : Math.max(1, Math.floor(memory * 1_024 * 0.6));
  return [
    `# ${NOTICE}`,
    '[mysqld]',
    `server_id = ${serverId(instance)}`,
    `max_connections = ${connections}`,
    ...(pool === null ? [] : [`innodb_buffer_pool_size = ${pool}M`]),
    ...(role === 'replica' ? ['read_only = ON'] : []),
    '',
    '[client]',
    `database = ${instance}`,
    `user = ${instance}`,
    `password = ${password}`,
    '',
  ].join('\n');
}

/** Different for the members of a cluster, the same for every attempt; 1 to 2^31. */
function serverId(instance: string): number {
  return (createHash('sha256').update(instance).digest().readUInt32BE(0) >>> 1) + 1;
}
