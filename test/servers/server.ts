/** The servers that tests, the benchmarks and the stack run against. */
export type ServerName = 'rabbitmq' | 'mongo' | 'mariadb' | 'redis';

/** Where a running server came from: a URL in the environment, an engine, or this machine. */
export type Origin = 'url' | 'docker' | 'machine';

/** A server that is nowhere to be had, and what would have to be there. */
export interface Missing {
  readonly missing: ServerName;
  readonly why: string;
}

/** Options of every server. */
export interface ServerOptions {
  /**
   * A server of one's own, to kill and to wipe: one that a URL in the environment names belongs to
   * others as well, so it is passed over. Default: false.
   */
  readonly own?: boolean;
  /**
   * A folder for the data, which stays after `stop()`; only for servers installed on the machine.
   * Default: a temporary folder that goes with the server.
   */
  readonly folder?: string;
}

/** A server that serves. Only `stop()` may be called on one that a URL in the environment names. */
export interface RunningServer {
  readonly name: ServerName;
  readonly origin: Origin;
  readonly url: string;
  /** The pid of its main process on this machine, while it runs. */
  readonly pid?: number | undefined;
  /** SIGKILL for all of its processes; the data stays as the kill left it. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, after a kill where it still runs. */
  restart(): Promise<void>;
  /** Kills it, deletes all of its data and starts it empty on the same port. */
  wipe(): Promise<void>;
  /** Freezes it: connections stay open and nothing answers. */
  pause(): Promise<void>;
  /** Ends a pause. */
  resume(): Promise<void>;
  /** Ends it for good and removes its temporary data; may be called more than once. */
  stop(): Promise<void>;
}

/** Tells the result of a start from a server. */
export function isMissing(result: object): result is Missing {
  return 'missing' in result;
}

/** The server of a start, or an error that names the one that is missing. */
export function present<Server extends object>(result: Server | Missing): Server {
  if (isMissing(result)) throw new Error(`${result.missing} is missing: ${result.why}`);
  return result;
}
