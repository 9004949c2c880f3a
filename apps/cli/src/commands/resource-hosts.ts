import type { BackstepClient } from '../client/backstep-client.js';
import { ask } from '../client/http.js';
import type { Amount, HostReport } from '../client/types.js';
import type { RowStyle, Session } from '../session.js';

/** How hosts are shown: what is free of what there is. */
export const HOST_STYLE: RowStyle<HostReport> = {
  name: ({ host }) => host,
  columns: [
    { title: 'HOST', value: ({ host }) => host },
    { title: 'CPU FREE', value: ({ cpu }) => share(cpu), align: 'right' },
    { title: 'MEMORY FREE', value: ({ memory }) => share(memory), align: 'right' },
    { title: 'STORAGE FREE', value: ({ storage }) => share(storage), align: 'right' },
    { title: 'TAKEN BY', value: ({ allocations }) => takers(allocations) },
  ],
};

/** The hosts of the inventory: a page of the executor `resource`, and no route of the gateway. */
export async function listHosts({ options }: BackstepClient): Promise<readonly HostReport[]> {
  const at = 'GET /modules/resource/hosts';
  return (await ask<{ readonly items: readonly HostReport[] }>({ at }, options)).items;
}

/** `resource hosts` */
export async function resourceHosts(session: Session): Promise<void> {
  session.printRows(await listHosts(session.asking()), HOST_STYLE);
}

function share({ free, total }: Amount): string {
  return `${free}/${total}`;
}

function takers(allocations: HostReport['allocations']): string {
  return allocations.map(({ instance, taskId }) => instance || taskId).join(', ') || '-';
}
