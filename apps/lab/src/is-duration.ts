import { ValidateBy } from 'class-validator';
import { parseDuration } from '#wording';

/** A duration as settings and flow files write it. */
export function IsDuration(): PropertyDecorator {
  return ValidateBy({
    name: 'isDuration',
    validator: {
      validate: isDuration,
      defaultMessage: () => '$property must be a duration, such as 500ms, 10s or 5m',
    },
  });
}

function isDuration(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  try {
    parseDuration(value);
    return true;
  } catch {
    return false;
  }
}
