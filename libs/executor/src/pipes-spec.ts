import type { PipeTransform } from '@nestjs/common';

/** A pipe that marks parameters, and leaves everything else alone. */
export class Stamp implements PipeTransform {
  transform(value: unknown, { type }: { type: string }): unknown {
    return type === 'body' ? { ...(value as object), stamped: true } : value;
  }
}
