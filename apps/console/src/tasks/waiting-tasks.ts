import { WAITS } from './list-news.js';
import { type TaskList, useTaskList } from './task-list.js';

const MEMBERS = [['q', WAITS]] as const;

/** The tasks that wait for a person, newest first. */
export function useWaitingTasks(): TaskList {
  return useTaskList(MEMBERS);
}
