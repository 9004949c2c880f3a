import { validate, type ValidationError } from 'class-validator';
import { type Outcome, textOfThrown } from '#core';
import { instanceOf } from '#seams/class-transformer';
import type { OutputClass } from './command-metadata.js';
import { invalidOutput, messageOf } from './failure-outcome.js';
import { declaredNames, describeUnder } from './parameters.pipe.js';

type Succeeded = Extract<Outcome, { kind: 'succeeded' }>;

const RULES = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: false,
  validationError: { target: false, value: false },
} as const;

/** Checks outputs against the class that a command declares for them. */
export class OutputCheck {
  readonly #type: OutputClass;
  readonly #secrets: readonly string[];
  /** Whether the class declares rules: read once its decorators have run. */
  #hasRules: boolean | undefined;

  /** `secrets`: members whose faults tell nothing but that there is one. */
  constructor(type: OutputClass, secrets: readonly string[] = []) {
    this.#type = type;
    this.#secrets = secrets;
  }

  /** The outcome itself; or a failure for good, where its output does not fit. Never rejects. */
  async judge(outcome: Succeeded): Promise<Outcome> {
    try {
      this.#hasRules ??= declaredNames(this.#type).length > 0;
      if (!this.#hasRules) return outcome;
      const errors = await validate(instanceOf(this.#type, outcome.output ?? {}), RULES);
      return errors.length === 0
        ? outcome
        : unfit(errors.flatMap((error) => this.#describe(error)));
    } catch (error) {
      return unfit([this.#secrets.length > 0 ? 'it cannot be read' : textOfThrown(error)]);
    }
  }

  /** A fault within a secret member tells no more than that: rules may quote values. */
  #describe(error: ValidationError): readonly string[] {
    const { property } = error;
    if (this.#secrets.includes(property)) return [`/${property} is secret and does not fit`];
    return describeUnder(error, '/', '/');
  }
}

function unfit(faults: readonly string[]): Outcome {
  const message = messageOf(new Error(`the output does not fit its class: ${faults.join('; ')}`));
  return invalidOutput(message);
}
