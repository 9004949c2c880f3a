/**
 * Texts that stand beside a task's row, in rows of their own, so that a commit writes only those
 * that it changes. A text is known by its place within the task.
 */
export type Beside = readonly (readonly [place: number, text: string])[];

/** Places of one task: the row of a text is `task * PLACES + place`. */
export const PLACES = 4_194_304;

/**
 * Where each kind of text begins. The output of a step stands at the step's position.
 */
export const PLACE = { runs: 1_048_576, journal: 2_097_152, scope: 3_145_729 } as const;
