import type { LockTicket } from '#core';

/** A lock that a task holds, one that a step is to ask for, and one that a step has on loan. */
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
    {
      number: 6,
      step: 0,
      run: 'check',
      locks: [],
      since: at + 4,
      heldAt: at + 4,
      looks: 1,
      dueAt: null,
      borrowed: [3],
    },
  ];
}
