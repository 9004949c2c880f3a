import { type InputFault, Problem } from '#http-server';

/** The problem with what a request says of a schedule. */
export function wrongSchedule(fault: InputFault): Problem {
  return new Problem('INVALID_SCHEDULE', fault.message, { errors: [fault] });
}
