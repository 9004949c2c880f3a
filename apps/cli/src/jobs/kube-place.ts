import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import path from 'node:path';
import { CliError, EXIT } from '../exit.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Call, textOption } from '../tree/call.js';

/** Where a pod finds the account that it runs as. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The cluster of a launcher. */
interface Cluster {
  readonly url: string;
  readonly agent: Agent | null;
  readonly readToken: () => Promise<string | undefined>;
  /** Undefined: neither the command line nor the account of a pod names one. */
  readonly namespace: string | undefined;
}

/**
 * The cluster that options name; without `--kube-url` the one that this process is a pod of. The
 * token is read again for each request: Kubernetes renews it. Throws a `CliError` where there is
 * none.
 */
export function clusterOf(call: Call, { cwd, env }: Pick<Terminal, 'cwd' | 'env'>): Cluster {
  const given = textOption(call, 'kubeUrl');
  const url = given ?? urlOfPod(env);
  const own = (name: string): string | undefined => {
    const file = path.join(ACCOUNT, name);
    return given === undefined && existsSync(file) ? file : undefined;
  };
  const named = (option: string): string | undefined => {
    const file = textOption(call, option);
    return file === undefined ? undefined : path.resolve(cwd, file);
  };
  const tokenFile = named('kubeTokenFile') ?? own('token');
  const caFile = named('kubeCaFile') ?? own('ca.crt');
  const namespaceFile = own('namespace');
  const accounted = namespaceFile === undefined ? undefined : read(namespaceFile).trim();
  if (tokenFile !== undefined) read(tokenFile);
  return {
    url,
    agent: caFile === undefined ? null : new Agent({ ca: read(caFile), keepAlive: true }),
    readToken: async () => {
      return tokenFile === undefined ? undefined : (await readFile(tokenFile, 'utf8')).trim();
    },
    namespace: textOption(call, 'namespace') ?? accounted,
  };
}

function urlOfPod({
  KUBERNETES_SERVICE_HOST: host,
  KUBERNETES_SERVICE_PORT: port,
}: Terminal['env']) {
  if (host) return `https://${host.includes(':') ? `[${host}]` : host}:${port || 443}`;
  const hint = 'Outside of a pod: --kube-url http://127.0.0.1:8001, with `kubectl proxy` running.';
  throw new CliError(EXIT.usage, 'there is no cluster to make Jobs in', hint);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `${file} cannot be read: ${code}`);
  }
}
