import { accountOf } from './instance-name.js';
import type { Owner } from './instance.js';

/** The address and the schema that a client needs besides the password. */
export interface Login {
  readonly host: string;
  readonly instance: string;
  readonly port: number;
}

/**
 * Passwords of instances on a server, which no step is told. The caller owns the instance, so two
 * owners never work on it at a time.
 */
export interface Credentials {
  /** Where the password of an instance is found, for people. */
  placeOf(instance: string): string;
  /**
   * The password of an owner's instance: the one that is kept, else a new one, which is kept
   * afterwards. May throw `StoreUnavailable`.
   */
  passwordFor(login: Login, owner: Owner): Promise<string>;
  /** Forgets the password of an owner's instance. May throw `StoreUnavailable`. */
  remove(instance: string, owner: Owner): Promise<void>;
  /** The client file (`my.cnf`) by which clients log in to an instance; null: there is none. */
  clientFileOf(instance: string): Promise<string | null>;
  close(): Promise<void>;
}

/** A login as clients read it: `mysql --defaults-file=...`. */
export function clientFile({ host, instance, port }: Login, password: string): string {
  const account = accountOf(instance);
  const lines = ['[client]', `host = ${host}`, `port = ${port}`, `database = ${account}`];
  return [...lines, `user = ${account}`, `password = ${password}`, ''].join('\n');
}
