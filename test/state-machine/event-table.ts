import type { NormalState, RollbackState, TaskEvent } from '#core';

/**
 * A row for each kind of event, and in it a cell for each state before it: every result that there
 * is, which are the states after it and the reasons for which it is ignored or refused, with blanks
 * between them. An empty cell: no task comes there, or nothing happens to it there.
 */
export type EventTable<Column extends string> = Readonly<
  Record<TaskEvent['kind'], Readonly<Record<Column, string>>>
>;

/**
 * States of a normal action. `absent`: the event names an action that the task does not have;
 * `called_off`: it is running, and the task goes back.
 */
export type NormalColumn = 'absent' | 'called_off' | NormalState;

/** States of a rollback. */
export type RollbackColumn = 'absent' | RollbackState;
