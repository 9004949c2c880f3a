import type { KindRow } from './kind-table.js';

const normal: KindRow = {
  succeeds: {
    says: 'Its output joins the parameters, and the steps that need it start.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work, after',
  },
  fails: {
    says: 'Its `retry` starts it again. Then its own `rollback` runs, and everything before it is undone. A terminal error is not tried again.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, work, work, undo work, undo before',
  },
  times_out: {
    says: 'The end of its `timeout` is the end of all attempts: `TIMED_OUT`. It is undone like a failed one.',
    step: 'timed_out',
    task: 'rolled_back',
    calls: 'before, work, undo work, undo before',
  },
  killed: {
    says: 'Another process starts it again with the same keys and a higher token, and `retry` is not used up. With `"onCrash": "fail"` it has failed with `LEASE_LOST`.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work, work, after',
  },
  rolled_back: {
    says: 'It is told to stop. Nothing is undone before it has ended; then it is undone, however it ended.',
    step: 'succeeded',
    task: 'rolled_back',
    calls: 'before, work, undo work, undo before',
  },
  paused: {
    says: 'It runs on to its end. The steps that need it start once the task is resumed.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work, after',
  },
};

const wait: KindRow = {
  succeeds: {
    says: 'The signal has come, and its payload is the output; or the time is over, and the output is `{}`.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, after',
  },
  fails: {
    says: 'Its expression fails: `EXPRESSION_FAILED`. It has not begun, so its own `rollback` does not run.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, undo before',
  },
  times_out: {
    says: 'No signal within its `timeout`: `SIGNAL_TIMEOUT`, and its own `rollback` runs first. With `"onTimeout": "continue"` it has succeeded. A wait `for` or `until` has no `timeout`.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, undo work, undo before',
  },
  killed: {
    says: 'No process waits: it waits in the store. Any process takes the signal, or sees the moment come.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, after',
  },
  rolled_back: {
    says: 'It is called off at once, and its own `rollback` runs first.',
    step: 'terminated',
    task: 'rolled_back',
    calls: 'before, undo work, undo before',
  },
  paused: {
    says: 'It takes its signal meanwhile; the steps that need it start once the task is resumed. Its time goes on: a wait whose time is over by then ends at once.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, after',
  },
};

const approve: KindRow = {
  succeeds: {
    says: 'A person has said yes; the output says who, why and when.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, after',
  },
  fails: {
    says: 'A person has said no: `REJECTED`. Its own `rollback` runs, and everything before it is undone.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, undo work, undo before',
  },
  times_out: {
    says: 'No answer within its `timeout`: `SIGNAL_TIMEOUT`, and it is undone as after a no. With `"onTimeout": "continue"` it has succeeded.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, undo work, undo before',
  },
  killed: {
    says: 'No process waits: the question stands in the store, and any process takes the answer.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, after',
  },
  rolled_back: {
    says: 'It is called off at once, and its own `rollback` runs first. A later answer is refused with `ILLEGAL_ACTION`.',
    step: 'terminated',
    task: 'rolled_back',
    calls: 'before, undo work, undo before',
  },
  paused: {
    says: 'It takes its answer meanwhile; the steps that need it start once the task is resumed. Its time goes on: where that is over by then, it fails at once.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, after',
  },
};

const set: KindRow = {
  succeeds: {
    says: 'Its values join the parameters, and the steps that need it start.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, after',
  },
  fails: {
    says: 'One of its expressions fails: `EXPRESSION_FAILED`. It has not begun, so its own `rollback` does not run.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, undo before',
  },
  times_out: {
    says: 'Cannot happen: it takes no `timeout`, and waits until its expressions have a result.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, after',
  },
  killed: {
    says: 'Another process evaluates its expressions.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, after',
  },
  rolled_back: {
    says: 'It does not begin, so there is nothing of it to undo. Once it has succeeded, its own `rollback` runs.',
    step: 'pending',
    task: 'rolled_back',
    calls: 'before, undo before',
  },
  paused: {
    says: 'It does not begin. Its expressions are evaluated again once the task is resumed.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, after',
  },
};

const succeed: KindRow = {
  succeeds: {
    says: 'The task succeeds with its output. The steps that need it never start.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before',
  },
  fails: {
    says: 'One of its expressions fails: `EXPRESSION_FAILED`. Then everything before it is undone.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, undo before',
  },
  times_out: {
    says: 'Cannot happen: it takes no `timeout`, and waits until its expressions have a result.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before',
  },
  killed: {
    says: 'Another process evaluates its expressions, and the task succeeds.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before',
  },
  rolled_back: {
    says: 'It does not begin. Once it has ended the task, a rollback is refused with `ILLEGAL_ACTION`; `undo` undoes what ran.',
    step: 'pending',
    task: 'rolled_back',
    calls: 'before, undo before',
  },
  paused: {
    says: 'It does not begin. Its expressions are evaluated again once the task is resumed, and the task succeeds.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before',
  },
};

const fail: KindRow = {
  succeeds: {
    says: 'Cannot happen: it fails whenever it is reached. If its `if` is false, it is skipped.',
    step: 'skipped',
    task: 'succeeded',
    calls: 'before, after',
  },
  fails: {
    says: 'It fails with its own code and message, and everything before it is undone.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, undo before',
  },
  times_out: {
    says: 'Cannot happen: it takes no `timeout`, and waits until its message has a result. Then it fails as usual.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, undo before',
  },
  killed: {
    says: 'Another process evaluates its message, and it fails as usual.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, undo before',
  },
  rolled_back: {
    says: 'It does not begin, so the task goes back because a person asked, and not because of its code.',
    step: 'pending',
    task: 'rolled_back',
    calls: 'before, undo before',
  },
  paused: {
    says: 'It does not begin. Once the task is resumed, it fails as usual.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, undo before',
  },
};

/** Of the kinds that hold no steps. */
export const LEAF_CELLS = { normal, wait, approve, set, succeed, fail } as const;
