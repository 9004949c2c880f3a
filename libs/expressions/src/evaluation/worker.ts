/** The process in which expressions are evaluated; it may be ended at any time. */
import { Worker } from 'node:worker_threads';
import { answerQuestion } from './answer-question.js';
import { evaluateExpression, variablesOf } from './evaluate-expression.js';
import type { Asking, Saying } from './protocol.js';
import { standStillAt } from './standing-date.js';

/** Of the answer under way, for the watchdog; 0: none. */
const underWay = new Int32Array(new SharedArrayBuffer(4));
let last = 0;

const watchdog = new Worker(new URL('./watchdog.js', import.meta.url), { workerData: underWay });
watchdog.unref();

// A terminal sends its signals to every process; the one that asks decides when this one ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (asking: Asking) => void serve(asking));
watchdog.on('online', () => say({ kind: 'ready' }));

async function serve({ env, question }: Asking): Promise<void> {
  last = (last % 0x7fff_ffff) + 1;
  mark(last);
  const { scene } = question;
  standStillAt(scene.now);
  const variables = variablesOf(scene, env);
  try {
    const answer = await answerQuestion(question, (text, { entriesMax, place }) => {
      say({ kind: 'at', place });
      return evaluateExpression(text, { parameters: scene.parameters, variables, entriesMax });
    });
    mark(0);
    say({ kind: 'answer', answer });
  } catch (error) {
    mark(0);
    say({ kind: 'broken', message: String(error) });
  }
}

function mark(number: number): void {
  Atomics.store(underWay, 0, number);
  Atomics.notify(underWay, 0);
}

function say(saying: Saying): void {
  process.send!(saying);
}
