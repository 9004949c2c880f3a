import type { LockTicket } from '#core';

/** A lock that a task holds, and one that a step of it is to ask for. */
export function sampleTickets(at: number): readonly LockTicket[] {
  return [
    {
      number: 3,
      step: null,
      run: null,
      locks: [
        { name: 'a.$b', slots: 2 },
        { name: 'gö', slots: 1 },
      ],
      since: at + 1,
      heldAt: at + 2,
      looks: 2,
      dueAt: null,
    },
    {
      number: 5,
      step: 1,
      run: 'create~12',
      locks: null,
      since: at + 3,
      heldAt: null,
      looks: 1,
      dueAt: at + 5_003,
    },
  ];
}
