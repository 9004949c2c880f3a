/** The process of checks: what may take long or much memory; it may be ended at any time. */
import { watchOwnTime } from '#expressions';
import { InputCheck } from '../input-schema.js';
import { knownFrom } from '../known-commands.js';
import { parseFlow } from '../parse-flow.js';
import { validateFlowText } from '../parse-flow-file.js';
import { OWN_TIME_MS, type Question, type Saying } from './protocol.js';

/** Compiled schemas that are kept; those of flow files are not. */
const CHECKS_MAX = 50;

const checks = new Map<number, InputCheck>();

const ownTime = watchOwnTime(OWN_TIME_MS, () => say({ kind: 'ready' }));

process.on('message', (question: Question) => {
  ownTime.begin();
  const said = answer(question);
  ownTime.end();
  say(said);
});

function say(saying: Saying): void {
  process.send!(saying);
}

function answer(question: Question): Saying {
  try {
    return { kind: 'answer', value: valueOf(question) };
  } catch (error) {
    return { kind: 'failed', message: String(error) };
  }
}

function valueOf(question: Question): unknown {
  if (question.kind === 'input') return checkOf(question).findProblems(question.parameters);
  const { around, commands, defaults, flow, flows, text } = question;
  const known = commands === null ? undefined : knownFrom(commands);
  const options = {
    commands: known,
    flows: flows ?? undefined,
    around: around ?? undefined,
    defaults: defaults ?? undefined,
  };
  return flow === null ? validateFlowText(text, options) : parseFlow(flow, text, options);
}

function checkOf({ id, input, subject }: Extract<Question, { kind: 'input' }>): InputCheck {
  const known = checks.get(id);
  if (known !== undefined) return known;
  if (checks.size === CHECKS_MAX) checks.clear();
  const check = new InputCheck(input, subject);
  checks.set(id, check);
  return check;
}
