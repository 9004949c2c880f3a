/** The process in which expressions are evaluated; it may be ended at any time. */
import { watchOwnTime } from '../bounded/own-time.js';
import { answerQuestion } from './answer-question.js';
import { evaluateExpression, variablesOf } from './evaluate-expression.js';
import { type Asking, OWN_TIME_MS, type Saying } from './protocol.js';

let moment = 0;

const ownTime = watchOwnTime(OWN_TIME_MS, () => say({ kind: 'ready' }));

process.on('message', (asking: Asking) => void serve(asking));

async function serve({ env, question }: Asking): Promise<void> {
  ownTime.begin();
  const { scene } = question;
  standStillAt(scene.now);
  const variables = variablesOf(scene, env);
  try {
    const answer = await answerQuestion(question, (text, { entriesMax, isOfSteps, place }) => {
      say({ kind: 'at', place });
      const { parameters } = scene;
      return evaluateExpression(text, { parameters, variables, entriesMax, isOfSteps });
    });
    ownTime.end();
    say({ kind: 'answer', answer });
  } catch (error) {
    ownTime.end();
    say({ kind: 'broken', message: String(error) });
  }
}

function say(saying: Saying): void {
  process.send!(saying);
}

/** Takes one moment for the present; all else is as in the machine's own. */
class StandingDate extends Date {
  constructor(...parts: readonly number[]) {
    super(...((parts.length === 0 ? [moment] : parts) as [number]));
  }

  static override now(): number {
    return moment;
  }
}

/**
 * Lets all code of this process, from now on, take this moment for the present one: the library
 * reads the time in places of its own. Milliseconds since 1970.
 */
function standStillAt(now: number): void {
  moment = now;
  globalThis.Date = StandingDate as DateConstructor;
}
