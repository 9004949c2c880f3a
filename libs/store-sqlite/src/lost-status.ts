/** In the place of a status, of a task whose progress is gone. */
export const LOST_STATUS = -1;
