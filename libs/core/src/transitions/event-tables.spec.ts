import { describe, expect, it } from '@jest/globals';
import { EVENT_TABLES, observeAll } from '../../../../test/state-machine/index.js';
import type { TaskEvent } from '../task/event.js';

type Kind = TaskEvent['kind'];
type Subject = keyof typeof EVENT_TABLES;

// Everything that can happen to tasks of small flows, worked out once.
const observed = observeAll();

describe.each(Object.keys(EVENT_TABLES) as Subject[])('the table of events for %s', (subject) => {
  const table = EVENT_TABLES[subject];

  it.each(Object.keys(table) as Kind[])('says what %s does in every state', (kind) => {
    const row: Readonly<Record<string, string>> = table[kind];
    const states = Object.keys(row);
    const told = states.map((state) => [state, wordsOf(row[state])]);
    const happened = states.map((state) => [state, observed.of(subject, kind, state)]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(happened));
  });
});

function wordsOf(cell = ''): readonly string[] {
  return cell.split(' ').filter(Boolean).toSorted();
}
