import { Api } from '../load/index.js';
import type { Deployment } from '../stack/index.js';

const NOTICE = /^backstep_notices_total\{name="(\w+)",level="\w+"\} (\d+)$/gm;

/** How often the processes have noticed what no journal tells, by name, in all of their life. */
export async function noticesOf({
  processes,
}: Pick<Deployment, 'processes'>): Promise<Readonly<Record<string, number>>> {
  const sums: Record<string, number> = {};
  for (const { url } of processes) {
    const { body } = await new Api(url).ask<string>({ path: '/metrics' });
    for (const [, name = '', count] of body.matchAll(NOTICE)) {
      sums[name] = (sums[name] ?? 0) + Number(count);
    }
  }
  return sums;
}
