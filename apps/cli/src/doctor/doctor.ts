import { SystemClock } from '#machine';
import { maskUrl, maskUrls, type Settings } from '#settings';
import { readSettings } from '../commands/read-settings.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import type { Call } from '../tree/call.js';
import { broken, type Finding, ok } from './finding.js';
import { checkGateway } from './gateway-check.js';
import {
  checkClock,
  checkDisk,
  checkFlows,
  checkNode,
  checkPort,
  checkPrivacy,
} from './machine-checks.js';
import { checkSecretPlaces, checkSecrets } from './secret-checks.js';
import { checkStore, checkTransport } from './server-checks.js';

const CHECKS = [
  checkPort,
  checkStore,
  checkTransport,
  checkFlows,
  checkSecrets,
  checkSecretPlaces,
  checkDisk,
  checkPrivacy,
  checkClock,
];

const ICONS = { ok: '✓', warning: '!', broken: '✗' } as const;

const STYLE: RowStyle<Finding> = {
  name: ({ check }) => check,
  columns: [
    { title: 'CHECK', value: ({ check }) => check },
    { title: 'STATE', value: ({ state }) => `${ICONS[state]} ${state}` },
    { title: 'SEEN', value: ({ detail }) => detail },
  ],
};

/** `doctor`: everything that Backstep needs, and how to mend what is not right. */
export async function doctor(session: Session, call: Call): Promise<ExitCode> {
  const findings = [checkNode(process.versions.node), ...(await examine(session, call))];
  session.printRows(findings, STYLE);
  for (const { check, fix, state } of findings) {
    if (state !== 'ok') session.say(`${check}: ${fix}`);
  }
  return findings.some(({ state }) => state === 'broken') ? EXIT.endedOtherwise : EXIT.done;
}

/**
 * Names the store and the transport, because the doctor may look at others than the reader expects.
 */
function sayScope(session: Session, { store, transport }: Settings): void {
  const place = store.kind === 'sqlite' ? store.file : maskUrl(store.url);
  const carrier = transport.kind === 'memory' ? 'memory' : maskUrls(transport.urls);
  session.say(`Looking at what a process started in ${session.terminal.cwd} would use:`);
  session.say(`  store ${place}, messages ${carrier}`);
  session.say('To check a process with other settings, give its settings as flags or variables.\n');
}

async function examine(session: Session, call: Call): Promise<Finding[]> {
  try {
    const patient = { settings: await readSettings(session, call), clock: new SystemClock() };
    const [gateway, ...findings] = await Promise.all([
      checkGateway(session),
      ...CHECKS.map((check) => check(patient)),
    ]);
    sayScope(session, patient.settings);
    const own = [ok('settings', 'all can be used (see `backstep config print`)'), ...findings];
    return gateway === null ? own : [gateway, ...own];
  } catch (error) {
    // Without settings there is nothing else to look at.
    if (!(error instanceof CliError)) throw error;
    return [broken('settings', error.message, `Correct them: ${error.message}`)];
  }
}
