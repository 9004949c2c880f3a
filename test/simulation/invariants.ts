/** The invariants of every history, by the name that a violation has. */
export const INVARIANTS: Readonly<Record<string, string>> = {
  I1: 'Every accepted task ends once, and stays so unless a person resets or undoes it.',
  I2: 'A run has one effect when its task succeeded, and none when it was undone.',
  I3: 'A command starts at most once for a fencing token, and only for a stored claim.',
  I4:
    'A step starts after the steps that it needs, in its scope and around it. It is undone after ' +
    'the steps that followed it.',
  I5:
    'Revisions and journals have no gaps, states move by the tables, the status follows from ' +
    'outcome, hold, pause and direction, and only its owner uses a lease.',
  I6: 'One idempotency key makes one task.',
  I7: 'Everything that was acknowledged is stored.',
  I8: 'A person’s action that is reported as done is in the journal, and takes effect.',
  I9: 'Without faults no due work waits, and everything ends.',
  I10: 'No action has more attempts than its budget and its restarts after crashes.',
  I11: 'A message is sent only if a stored document asks for it, and repeats get rarer.',
  I12: 'There is no uncaught error, and no error that is not an outage.',
  I13: 'A failed rollback raises an alert, but a task raises none sooner than it may.',
  I14: 'The states of the document follow from its journal alone.',
  I15: 'The stored result of an attempt is the one that its command returned.',
  I16: 'A task keeps the steps of the flow version that it began with.',
  I17: 'No step fails because builds lack its command: it waits for one that has it.',
  I18: 'A step is undone only if some attempt of it may have been entered.',
  I19: 'A crash uses up a restart if there is one; with `onCrash: fail` no action starts twice.',
  I20: 'A process that is alive and reaches the store loses no lease.',
  I21: 'An ended session never lives again.',
  I22: 'The figures about its runs in a document equal a count of all of them.',
  I23: 'A step gets a new run only by a reset or a retry, and the runs before leave no effect.',
  I24:
    'All attempts of an action in a run get the same parameters, with outputs only of runs that ' +
    'were not undone.',
  I25:
    'The effects of a scope are undone before it is tried again or its step fails, within its ' +
    'time. No run of an ended try comes again.',
  I26:
    'There are as many child tasks as asked for, within the limit at a time, and each is counted ' +
    'once. A parent that rolls back leaves no effect of them.',
  I27: 'Nothing rolls back past a point of no return that was passed.',
  I28: 'At most one step gets a signal.',
  I29:
    'A lock has no more holders than it allows. No step runs or is undone without its locks. ' +
    'Ended tasks and steps hold no lock, and no task waits for a free one.',
  I30:
    'The failure flow of a task starts once, after the task ended without success, and the task ' +
    'names the started one.',
  I31:
    'A step does what its kind says: it runs if its condition holds, takes the right case, sets ' +
    'its values, goes on after an approval only, turns nothing back if it is optional, and ' +
    'starts nothing once its task has ended early.',
  I32: 'A task has no more runs and scopes than its limit when it begins a scope.',
  I33:
    'A restart by a person makes a new task of the same flow and parameters, after the old one ' +
    'has ended, and it is no child task.',
  I34: 'A command gets the secret that its parameters refer to, and no document has it.',
  I35: 'A process that works on nothing has all of its slots.',
  I36:
    'A worker has an action until its lease ends, it tells an outcome, or it gives it back; until ' +
    'then the step is not undone. A claim that was only delivered ends within 15 s and costs no ' +
    'attempt.',
  I37:
    'A gateway tells workers what the documents say: who has a claim, which outcome counts, and ' +
    'what a repeated poll got before.',
  I38: 'An action that expires starts in its time for the first time, or never.',
  I39:
    'Of a module no more actions run at a time than its limit, and only rollbacks have its last ' +
    'tenth. What has ended counts no more.',
};
