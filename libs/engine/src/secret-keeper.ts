import type { JsonObject, JsonValue, Task } from '#core';
import { sealedIn, sealOwner } from '#core/secrets';
import { type Clock, NO_SECRETS, type Observer, type Secrets } from '#ports';
import { OpenedSecrets } from './opened-secrets.js';

/** The parts of a task that may have sealed values in them. */
type Content = Pick<Task, 'edits' | 'hasSecrets' | 'plan' | 'runs' | 'scopes'>;

/** Time between two warnings that a key is missing, in milliseconds. */
const SAY_AGAIN_MS = 60_000;

/** The parts that a keeper works with. */
interface SecretKeeperParts {
  /** Default: there is no key. */
  readonly secrets?: Secrets;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly observer: Observer;
}

/**
 * Knows which tasks this process can run with the keys that it has. One that it cannot is left to
 * others, or to the day on which it is given the key: that is never the task's fault.
 */
export class SecretKeeper {
  readonly secrets: Secrets;
  /** Objects that were looked through; they never change. True: it needs a key that is missing. */
  private readonly judged = new WeakMap<object, boolean>();
  private saidAt = -Infinity;

  constructor(private readonly parts: SecretKeeperParts) {
    this.secrets = parts.secrets ?? NO_SECRETS;
  }

  /** Whether every sealed value of a task can be opened here. Warns where that is not so. */
  mayRun(task: Content): boolean {
    if (!task.hasSecrets) return true;
    if (!this.isLocked(task)) return true;
    const now = this.parts.clock.monotonic();
    if (now - this.saidAt < SAY_AGAIN_MS) return false;
    this.saidAt = now;
    const { taskId } = task.plan;
    const message =
      `task ${taskId} waits for a process that can open its secrets: ` +
      'BACKSTEP_SECRET_KEY here does not have the key that they were sealed with';
    this.parts.observer.noticed({ level: 'warn', name: 'secret_key_missing', message, taskId });
    return false;
  }

  /** Opens the secrets that one attempt of a task is given in clear. */
  opener(task: Task): OpenedSecrets {
    return new OpenedSecrets(this.secrets, sealOwner(task.plan));
  }

  private isLocked({ edits, plan, runs, scopes }: Content): boolean {
    return (
      this.isPartLocked(plan.parameters) ||
      edits.some(({ values }) => this.isPartLocked(values)) ||
      scopes.some(({ values }) => this.isPartLocked(values)) ||
      runs.some(({ normal, rollback }) => {
        return [normal.output, normal.values, rollback?.values].some((part) => {
          return this.isPartLocked(part);
        });
      })
    );
  }

  private isPartLocked(part: JsonObject | JsonValue | undefined): boolean {
    if (typeof part !== 'object' || part === null) return false;
    const known = this.judged.get(part);
    if (known !== undefined) return known;
    const sealed = sealedIn(JSON.stringify(part));
    const isLocked = sealed.some((each) => !this.secrets.hasKeyOf(each));
    this.judged.set(part, isLocked);
    return isLocked;
  }
}
