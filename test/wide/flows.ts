/** A root and steps beside each other that need only it, each with an effect behind the barrier. */
export const WIDE = 'wide';
/** The same, and a last step that needs all of them and fails, so that everything is undone. */
export const WIDE_FAILING = 'wide-failing';

/** Without retries: whatever has a second attempt has lost its lease. */
const effect = (name: string, needs: readonly string[]) => ({
  name,
  needs,
  normal: { module: 'lab', command: 'effect', retry: 0, parameters: { name } },
  rollback: { module: 'lab', command: 'undo_effect', retry: 0, parameters: { name } },
});

const ROOT = 'root';
/** Why the last step of the failing flow fails. */
export const TOLD_TO = 'told to';
const FAIL = { module: 'lab', command: 'fail', parameters: { kind: 'terminal', message: TOLD_TO } };

/** Both flows, with a number of steps each. */
export function wideFlows(steps: number): Readonly<Record<string, unknown>> {
  const beside = Array.from({ length: steps - 1 }, (_, n) => `side-${n + 1}`);
  const most = beside.slice(1);
  const fan = (names: readonly string[]) => names.map((name) => effect(name, [ROOT]));
  const last = { name: 'last', needs: most, normal: FAIL };
  return {
    [WIDE]: [effect(ROOT, []), ...fan(beside)],
    [WIDE_FAILING]: [effect(ROOT, []), ...fan(most), last],
  };
}
