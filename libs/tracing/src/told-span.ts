import type { Task } from '#core';

/** A value of an attribute. */
type AttributeValue = string | number | boolean;

/** Attributes of a span, an event or a link, by their names. */
type Attributes = Readonly<Record<string, AttributeValue>>;

/** How a span is related to another one of its trace. */
export interface SpanLink {
  readonly spanId: string;
  /** `retry_of`, `undoes` or `follows`. */
  readonly relation: string;
}

/** Something that happened within a span. */
export interface SpanEvent {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A span that is over, in the words of no library. */
export interface ToldSpan {
  readonly name: string;
  readonly kind: 'producer' | 'consumer' | 'internal';
  readonly spanId: string;
  /** Null: the first span of its trace. */
  readonly parentId: string | null;
  readonly links: readonly SpanLink[];
  readonly events: readonly SpanEvent[];
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  /** The code of what failed; null: nothing did. */
  readonly error: string | null;
  readonly attributes: Attributes;
}

/** The attributes that every span of a task has: no parameter and no message is among them. */
export function taskAttributes({ plan }: Pick<Task, 'plan'>): Attributes {
  return {
    'messaging.message.conversation_id': plan.taskId,
    'backstep.task.id': plan.taskId,
    'backstep.flow': plan.flow,
    'backstep.flow.version': plan.flowVersion,
  };
}
