export {
  changeSchedule,
  makeSchedule,
  pauseSchedule,
  type PutChange,
  resumeSchedule,
  upcoming,
} from './change-schedule.js';
export { noteTrigger, type StartResult } from './note-start.js';
export { Scheduler, type ScheduleMeter, type ScheduleStarter } from './scheduler.js';
export { WrongSchedule } from './moments.js';
