import { hash } from 'node:crypto';
import type { Task } from '#core';
import { revisionInSnapshot, snapshotOf, taskOfSnapshot } from '#core/stored';
import type { TaskSnapshots } from '#ports';
import type { StepLists } from './plan-document.js';

/** A document as text, and the hash under which the store has it. */
interface Snapshot {
  readonly text: string;
  readonly hash: string;
}

/**
 * Documents that travel in messages. Each is stored with the hash of its text, so that the server
 * can compare in one round trip a document that came in a message with its own, in every member: a
 * text that says anything else has another hash.
 */
export class Snapshots implements TaskSnapshots {
  private readonly made = new WeakMap<Task, Snapshot | null>();
  private readonly recalled = new WeakMap<Task, string>();

  constructor(private readonly lists: StepLists) {}

  /** The task as text; null where none travels. */
  textOf(task: Task): string | null {
    return this.of(task)?.text ?? null;
  }

  /** The hash to store with a document; null where it needs none. */
  hashOf(task: Task): string | null {
    return this.of(task)?.hash ?? null;
  }

  /** The task that a text tells of; null where there is none, or its steps are not known here. */
  recall(text: string): Task | null {
    const task = taskOfSnapshot(text, (name) => this.lists.find(name));
    if (task !== null) this.recalled.set(task, digest(text));
    return task;
  }

  /** The revision that a text tells of; 0 where it tells of none. */
  revisionIn(text: string): number {
    return revisionInSnapshot(text);
  }

  /** The hash that a stored document must have to be this one; undefined: it was read. */
  conditionOf(task: Task): string | undefined {
    return this.recalled.get(task);
  }

  private of(task: Task): Snapshot | null {
    const known = this.made.get(task);
    if (known !== undefined) return known;
    const text = snapshotOf(task, this.lists.toDocument(task.plan.steps).stepsHash);
    const made = text === null ? null : { text, hash: digest(text) };
    this.made.set(task, made);
    return made;
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'base64');
}
