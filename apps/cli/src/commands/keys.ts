import type { KeyReport } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';

const STYLE: RowStyle<KeyReport> = {
  name: ({ id }) => id,
  columns: [
    { title: 'KEY', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'ROLE', value: ({ role }) => role },
    { title: 'LIMITS', value: limitsText },
    { title: 'EXPIRES', value: ({ expiresAt }) => dayText(expiresAt) },
    { title: 'LAST USED', value: ({ usedAt }) => dayText(usedAt) },
  ],
};

/** `key list` */
export async function keyList(session: Session): Promise<ExitCode> {
  session.printRows(await session.asking().listKeys(), STYLE);
  return EXIT.done;
}

/** `key revoke` */
export async function keyRevoke(session: Session, call: Call): Promise<ExitCode> {
  // A user who has only the key itself can revoke it as well: the key contains its id.
  const [, id] = /^bsk_([0-9a-f]+)_/.exec(textArg(call, 0)) ?? [];
  await session.asking().ask('DELETE /v1/keys/{id}', {
    path: { id: id ?? textArg(call, 0) },
    isOnce: true,
  });
  session.say('The key is revoked. Within seconds it is refused.');
  return EXIT.done;
}

function limitsText({ flows, labels, modules }: KeyReport): string {
  const limits = [
    ...(flows === null ? [] : [`flows ${flows.join(',')}`]),
    ...Object.entries(labels ?? {}).map(([name, value]) => `label ${name}=${value}`),
    ...(modules === null ? [] : [`modules ${modules.join(',')}`]),
  ];
  return limits.join(', ') || '-';
}

function dayText(time: string | null): string {
  return time === null ? '-' : time.slice(0, 16).replace('T', ' ');
}
