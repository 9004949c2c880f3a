import { socketIn } from '../client/backstep-url.js';
import { shellWord } from '../terminal/shell-word.js';

/** The addresses that a listener serves, as lines to print. */
export function addressLines(url: string): readonly string[] {
  const socket = socketIn(url);
  return socket === null ? linesOfHost(url.replace(/\/$/, '')) : linesOfSocket(url, socket);
}

function linesOfHost(base: string): readonly string[] {
  return [
    `  Backstep  ${base}`,
    `  Console   ${base}/console/`,
    `  API       ${base}/docs (OpenAPI: ${base}/openapi.json)`,
    `  Hosts     ${base}/modules/resource/hosts`,
    `  Metrics   ${base}/metrics`,
  ];
}

/** A browser reaches no socket, and neither does Prometheus. */
function linesOfSocket(url: string, socket: string): readonly string[] {
  const curl = `curl --unix-socket ${shellWord(socket)} http://localhost`;
  return [
    `  Backstep  ${url} (for this user alone)`,
    `  API       ${curl}/openapi.json`,
    `  Metrics   ${curl}/metrics`,
  ];
}
