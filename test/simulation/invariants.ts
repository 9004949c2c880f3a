/** The invariants of every history, by the name that a violation has. */
export const INVARIANTS: Readonly<Record<string, string>> = {
  I1: 'Every task that was accepted comes to one end, and stays as it ended unless it is reset.',
  I2: 'A run has one effect when its task succeeded, and none when it was undone.',
  I3: 'A command starts at most once for a fencing token, and only for a stored claim.',
  I4:
    'Nothing starts before what it needs, in its scope and around it; what ran is undone, after ' +
    'what followed it.',
  I5:
    'Revisions and journals have no gaps, states move by the tables, status is what direction, ' +
    'hold and outcome make it, and a lease is its owner’s.',
  I6: 'One idempotency key, one task.',
  I7: 'Everything that was acknowledged is stored.',
  I8: 'An action that a person was told is done is in the journal, and obeyed.',
  I9: 'Without trouble nothing that is due waits, and everything ends.',
  I10: 'No action has more attempts than its budget and its restarts after crashes.',
  I11: 'A message goes out only for what a stored document asks for, and repeats get rarer.',
  I12: 'No error is nobody’s: none that is no outage, none that is not caught.',
  I13: 'A rollback that failed calls a person, and about one task not more often than is set.',
  I14: 'A reader that knows the journal alone comes to the states that the document has.',
  I15: 'The stored result of an attempt is the one that its command gave.',
  I16: 'A task keeps the steps of the version of its flow that it was made of.',
  I17: 'No step fails for want of a command that another build is known to have.',
  I18: 'A step is undone only if some attempt of it may have been entered.',
  I19: 'A crash costs a restart while there are any, and starts nothing twice that must not be.',
  I20: 'A process that is alive and reaches the store loses no lease.',
  I21: 'A session that has ended never lives again.',
  I22: 'The figures that a document carries about its runs equal those counted over all of them.',
  I23: 'A step gets a new run by a reset alone, and the runs before it leave no effect.',
  I24:
    'Every attempt of an action of a run is given the same parameters, and outputs of runs alone ' +
    'that are there.',
  I25:
    'The effects of a scope are undone before it is tried again or its step ends, in its time; no run of ' +
    'an ended try comes again.',
  I26:
    'Child tasks are as many as were asked for, at most so many at a time, and each is counted ' +
    'once; a parent that goes back leaves none that has an effect.',
  I27: 'Nothing goes back past a point of no return that was passed.',
  I28: 'A signal is given to one step at most.',
  I29:
    'No more tasks hold a lock than may, nothing that wants one goes on without it in either ' +
    'direction, no lock is kept by what has ended, and nobody waits for one that is free.',
  I30:
    'The failure flow of a task is started once, after the task ended other than succeeded, and ' +
    'the task names what was started.',
  I31:
    'A step does what its kind says: it runs where its condition holds, takes the case that holds, ' +
    'sets what it is to set, takes no no for a yes, turns nothing back where it is optional, and ' +
    'begins nothing once its task has ended early.',
  I32: 'A task that begins a scope has no more runs and scopes than it may have.',
  I33:
    'A task that a person has started anew is one more of the same flow and parameters, after ' +
    'the former had ended, and nobody’s child.',
};
