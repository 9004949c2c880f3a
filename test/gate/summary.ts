/** A spec that has run. */
export interface Spec {
  readonly project: string;
  /** From the repository. */
  readonly path: string;
  readonly seconds: number;
  /** Numbers of tests. */
  readonly passed: number;
  readonly skipped: number;
  /** Names of the tests that failed. */
  readonly failed: readonly string[];
  /** Names of those that failed in its first try; absent: there was no other try that passed. */
  readonly flaky?: readonly string[];
}

/** The outcome of a part. */
export interface PartResult {
  readonly specs: readonly Spec[];
  /** Failures outside of its specs. */
  readonly failed: number;
  /** 1 where the part could not run here. Default: 0. */
  readonly skipped?: number;
  /** Seconds that processors spent on it; undefined where the system does not tell. */
  readonly spent?: number | undefined;
}

/** A part that has run, with its label. */
export interface Part extends PartResult {
  readonly label: string;
  readonly seconds: number;
}

const SLOWEST = 10;

/** Numbers of tests, and of failures and parts outside of specs. */
export function countsOf(parts: readonly PartResult[]): {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
} {
  const specs = parts.flatMap((part) => part.specs);
  return {
    passed: total(specs, ({ passed }) => passed),
    failed: total(parts, (part) => part.failed) + total(specs, ({ failed }) => failed.length),
    skipped: total(parts, ({ skipped = 0 }) => skipped) + total(specs, ({ skipped }) => skipped),
  };
}

function total<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0);
}

/**
 * The lines at the end of a run: how long each part and the slowest specs took, how much of the
 * processors each part took, and how to repeat the failures. Parts are in the order in which they
 * ended; the seconds of the run are less than those of all parts where they ran side by side.
 */
export function summaryOf(parts: readonly Part[], seconds: number): readonly string[] {
  const specs = parts.flatMap((part) => part.specs);
  return [
    `${whole(seconds)} s in all`,
    ...(parts.length > 1 ? parts.map(timesOf) : []),
    ...slowest(specs),
    ...flaky(specs),
    ...repeats(parts),
  ];
}

/** Side by side with others, a part takes longer than by itself; what it costs stays the same. */
function timesOf({ label, seconds, spent }: Part): string {
  return line(seconds, spent === undefined ? label : `${label} (${whole(spent)} s of a processor)`);
}

/** A flaky spec is a defect, of itself or of the product: a green run does not hide it. */
function flaky(specs: readonly Spec[]): readonly string[] {
  const passedLater = specs.filter((spec) => spec.flaky !== undefined);
  if (passedLater.length === 0) return [];
  return [
    'flaky, passed in their second try:',
    ...passedLater.flatMap((spec) => listed(spec, spec.flaky ?? [])),
  ];
}

function slowest(specs: readonly Spec[]): readonly string[] {
  if (specs.length <= 1) return [];
  const first = [...specs].sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  return [
    'slowest specs:',
    ...first.map(({ path, project, seconds }) => line(seconds, `${project} ${path}`)),
  ];
}

/** One command for each spec with a failure, below it what failed; seeds stand in the failures. */
function repeats(parts: readonly Part[]): readonly string[] {
  const lines = parts.flatMap(({ failed, label, specs }) => {
    const broken = specs.filter((spec) => spec.failed.length > 0);
    return [
      ...broken.flatMap((spec) => listed(spec, spec.failed)),
      ...(failed > 0 ? [`  npm test -- ${label.split(' ')[0]}`] : []),
    ];
  });
  return lines.length === 0 ? [] : ['failed, each with the command that repeats it:', ...lines];
}

function listed({ path, project }: Spec, names: readonly string[]): readonly string[] {
  return [`  npm test -- ${project} ${path}`, ...names.map((name) => `    ${name}`)];
}

function line(seconds: number, text: string): string {
  return `${whole(seconds).padStart(6)} s  ${text}`;
}

function whole(seconds: number): string {
  return seconds.toFixed(seconds < 10 ? 1 : 0);
}
