import type { Clock, Evaluator } from '#ports';
import { readNamedFile } from '../commands/read-named-file.js';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, listOption, textOption } from '../tree/call.js';
import { JobTemplate } from './job-template.js';
import { KubeApi } from './kube-api.js';
import { clusterOf } from './kube-place.js';
import { Launcher } from './launcher.js';

const LABEL_VALUE = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

interface LauncherOrder {
  readonly session: Session;
  readonly call: Call;
  readonly clock: Clock;
  readonly evaluator: Evaluator;
}

/** The launcher that a command line asks for. Throws a `CliError` that says what is wrong. */
export async function jobLauncher(order: LauncherOrder): Promise<Launcher> {
  const { call, clock, evaluator, session } = order;
  const file = textOption(call, 'jobTemplate') ?? '';
  const text = await readNamedFile(session, file).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(EXIT.usage, `${file} cannot be read: ${error.code ?? error.message}`);
  });
  const template = JobTemplate.read(text, file, evaluator);
  const { namespace: own, ...place } = clusterOf(call, session.terminal);
  const namespace = own ?? template.namespace ?? 'default';
  if (template.namespace !== undefined && template.namespace !== namespace) {
    const sentence = `the template is for the namespace ${template.namespace}, not ${namespace}`;
    throw new CliError(EXIT.usage, sentence);
  }
  if (!NAMESPACE.test(namespace)) {
    throw new CliError(EXIT.usage, `"${namespace}" is no name of a namespace`);
  }
  const api = new KubeApi({ ...place, clock, say: (line) => session.say(line) });
  const secrets = listOption(call, 'secret');
  return new Launcher({ api, clock, name: nameOf(call), namespace, secrets, template });
}

/** By default that of the module: one that is the same after a restart. */
function nameOf(call: Call): string {
  const given = textOption(call, 'launcher');
  const name = given ?? textOption(call, 'module')?.slice(0, 63) ?? '';
  if (LABEL_VALUE.test(name)) return name;
  const hint = 'Give it a name with --launcher: letters, digits, - and _, at most 63.';
  throw new CliError(EXIT.usage, `"${name}" is no name of a launcher`, hint);
}
