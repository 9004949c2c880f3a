/** Members of something that somebody has written. */
export type Members = Readonly<Record<string, unknown>>;

const OTHERS = new Set([
  ...['name', 'needs', 'description', 'rollback', 'catch', 'if', 'optional', 'pivot', 'locks'],
]);
const KINDS = [
  'normal',
  'group',
  'choice',
  'parallel',
  'loop',
  'foreach',
  'flow',
  'wait',
  'approve',
  'set',
  'succeed',
  'fail',
  'dynamic',
];

/**
 * Names of a list's steps, as the server gives them: as written, else after the command, or the
 * member that makes the step, made unique with `-2`, `-3`. Made-up names give way to written ones.
 */
export function stepNames(steps: readonly Members[]): readonly string[] {
  const taken = new Set(steps.map(({ name }) => textOf(name)));
  taken.delete('');
  return steps.map((step) => {
    const written = textOf(step['name']);
    if (written !== '') return written;
    const name = freeName(textOf(recordOf(step['normal'])['command']) || kindOf(step), taken);
    taken.add(name);
    return name;
  });
}

/** A name that is not taken yet: with `-2`, `-3` where it has to be. */
export function freeName(base: string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(name)) return name;
  }
}

/** The member that makes a step. */
export function kindOf(step: Members): string {
  return (
    KINDS.find((one) => step[one] !== undefined) ??
    Object.keys(step).find((member) => !OTHERS.has(member)) ??
    'normal'
  );
}

/** The members of an object; none of anything else. */
export function recordOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

/** A text; nothing of anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
