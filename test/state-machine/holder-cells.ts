import type { KindRow } from './kind-table.js';

const group: KindRow = {
  succeeds: {
    says: 'The outputs of its steps are its output, under its name.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other 1, work 1, after',
  },
  fails: {
    says: 'Its steps are undone, last first. Its `retry` starts all of them again; after the last try it has failed, and everything before it is undone.',
    step: 'failed',
    task: 'rolled_back',
    calls:
      'before, other 1, work 1, undo work 1, undo other 1, other 2, work 2, undo work 2, undo other 2, undo before',
  },
  times_out: {
    says: 'Its `timeout` bounds all tries: the command that runs in it is told to stop, its steps are undone, and no try follows. `TIMED_OUT`.',
    step: 'timed_out',
    task: 'rolled_back',
    calls: 'before, other 1, work 1, undo work 1, undo other 1, undo before',
  },
  killed: {
    says: 'The command that ran in it is started again by another process. The try goes on, and `retry` is not used up.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other 1, work 1, work 1, after',
  },
  rolled_back: {
    says: 'The command that runs in it is told to stop. Once that has ended, its steps are undone, last first, and no try follows.',
    step: 'terminated',
    task: 'rolled_back',
    calls: 'before, other 1, work 1, undo work 1, undo other 1, undo before',
  },
  paused: {
    says: 'The command that runs in it ends; nothing more starts until the task is resumed. Its `timeout` goes on, and may end it meanwhile: `TIMED_OUT`.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other 1, work 1, after',
  },
};

const choice: KindRow = {
  succeeds: {
    says: 'The first case whose `when` holds has run, or `otherwise`. Its output names the case.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other, work, after',
  },
  fails: {
    says: 'A step of the case failed: the case is undone, last step first, then everything before it. A `when` that fails does so before any of its steps runs.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, other, work, undo work, undo other, undo before',
  },
  times_out: {
    says: 'It has no `timeout` of its own. If the time of a step of the case is over, that step has failed, and so has the choice.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, other, work, undo work, undo other, undo before',
  },
  killed: {
    says: 'The command that ran in it is started again by another process, in the same case. Another process evaluates a `when` that has no result yet.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other, work, work, after',
  },
  rolled_back: {
    says: 'The command that runs in it is told to stop. Once that has ended, its case is undone, last step first.',
    step: 'terminated',
    task: 'rolled_back',
    calls: 'before, other, work, undo work, undo other, undo before',
  },
  paused: {
    says: 'The command that runs in it ends; nothing more of its case starts until the task is resumed.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other, work, after',
  },
};

const parallel: KindRow = {
  succeeds: {
    says: 'All branches have succeeded, and the steps that need it start.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other, work, after',
  },
  fails: {
    says: 'The branch that failed is undone at once, and the others are told to stop; with `"onBranchFailure": "wait"` these go on to their end before anything is undone. Then they are undone, and everything before it.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, other, work, undo work, undo other, undo before',
  },
  times_out: {
    says: 'It has no `timeout` of its own. If the time of a step is over, that step has failed, and so has its branch.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, other, work, undo work, undo other, undo before',
  },
  killed: {
    says: 'The commands that ran in it are started again by another process. A branch that had ended is left alone.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other, work, work, after',
  },
  rolled_back: {
    says: 'The commands that run in it are told to stop. Once all of them have ended, the branches are undone beside each other, then everything before it.',
    step: 'terminated',
    task: 'rolled_back',
    calls: 'before, other, work, undo work, undo other, undo before',
  },
  paused: {
    says: 'The commands that run in it end; nothing more of a branch starts until the task is resumed.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other, work, after',
  },
};

const loop: KindRow = {
  succeeds: {
    says: 'The condition ends the loop. The output is that of the last round, with the number of `rounds`.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work 1, work 2, after',
  },
  fails: {
    says: 'A step of a round failed, or the condition asks for more than `max` rounds: `LOOP_LIMIT`. All rounds are undone, last first.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, work 1, work 2, undo work 2, undo work 1, undo before',
  },
  times_out: {
    says: 'It has no `timeout` of its own. If the time of a step is over, that step has failed, and so has the loop.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, work 1, undo work 1, undo before',
  },
  killed: {
    says: 'The command that ran in it is started again by another process. The round goes on.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work 1, work 1, work 2, after',
  },
  rolled_back: {
    says: 'The command that runs in it is told to stop. Once that has ended, all rounds are undone, last first, and none follows.',
    step: 'terminated',
    task: 'rolled_back',
    calls: 'before, work 1, work 2, undo work 2, undo work 1, undo before',
  },
  paused: {
    says: 'The command that runs in it ends; no step and no round starts until the task is resumed.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work 1, work 2, after',
  },
};

const foreach: KindRow = {
  succeeds: {
    says: 'Enough child tasks have succeeded. The output counts them and has their results.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work 1, work 2, after',
  },
  fails: {
    says: 'All child tasks have ended and too few succeeded: `CHILDREN_FAILED`. Those that failed have undone themselves; the others are undone, last item first.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, work 1, work 2, undo work 2, undo work 1, undo before',
  },
  times_out: {
    says: 'It has no `timeout` of its own. If the time of a step of a child task is over, that step has failed, and its child task goes back; the next item starts nevertheless.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, work 1, undo work 1, work 2, undo work 2, undo before',
  },
  killed: {
    says: 'Child tasks are tasks of their own: another process starts the command again, and also starts the next items.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work 1, work 1, work 2, after',
  },
  rolled_back: {
    says: 'Child tasks that run are rolled back, and those that succeeded are undone, last item first. No item starts any more.',
    step: 'terminated',
    task: 'rolled_back',
    calls: 'before, work 1, undo work 1, undo before',
  },
  paused: {
    says: 'Child tasks that run are not paused, and end. No item starts until the task is resumed.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work 1, work 2, after',
  },
};

const flow: KindRow = {
  succeeds: {
    says: 'Its child task has succeeded; the output has its id, its status and its output.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work, after',
  },
  fails: {
    says: 'Its child task has undone itself: `CHILD_FAILED`. Then everything before it is undone.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, work, undo work, undo before',
  },
  times_out: {
    says: 'It has no `timeout` of its own. If the time of a step of the child task is over, that step has failed, and the child task goes back: `CHILD_FAILED`.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, work, undo work, undo before',
  },
  killed: {
    says: 'The child task is a task of its own: the command that ran is started again by another process.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work, work, after',
  },
  rolled_back: {
    says: 'The child task is rolled back, or undone if it has succeeded. Then everything before it is undone.',
    step: 'terminated',
    task: 'rolled_back',
    calls: 'before, work, undo work, undo before',
  },
  paused: {
    says: 'The child task is not paused, and ends. The steps that need this one start once the task is resumed.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, work, after',
  },
};

const dynamic: KindRow = {
  succeeds: {
    says: 'The steps in the result of its expression have succeeded. Their outputs are its output, under its name.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other, work, after',
  },
  fails: {
    says: 'One of its steps failed: they are undone, last first, then everything before them. A list with problems fails with `INVALID_STEPS` before any of it runs.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, other, work, undo work, undo other, undo before',
  },
  times_out: {
    says: 'It has no `timeout` of its own. If the time of a step in it is over, that step has failed, and so has this one.',
    step: 'failed',
    task: 'rolled_back',
    calls: 'before, other, work, undo work, undo other, undo before',
  },
  killed: {
    says: 'The command that ran in it is started again by another process, which has the steps from the task. Another process evaluates a list that has no result yet.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other, work, work, after',
  },
  rolled_back: {
    says: 'The command that runs in it is told to stop. Once that has ended, its steps are undone, last first.',
    step: 'terminated',
    task: 'rolled_back',
    calls: 'before, other, work, undo work, undo other, undo before',
  },
  paused: {
    says: 'The command that runs in it ends; nothing more of it starts until the task is resumed.',
    step: 'succeeded',
    task: 'succeeded',
    calls: 'before, other, work, after',
  },
};

/** Of the kinds that hold steps, or have child tasks. */
export const HOLDER_CELLS = { group, choice, parallel, loop, foreach, flow, dynamic } as const;
