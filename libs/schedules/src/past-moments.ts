import { type MomentSpell, SPELLS_MAX } from '#ports';

/** Results of moments, with these added; one that is the same as the last becomes one with it. */
export function withSpell(
  past: readonly MomentSpell[] = [],
  spell: MomentSpell,
): readonly MomentSpell[] {
  const last = past.at(-1);
  const isSame =
    last !== undefined &&
    last.result === spell.result &&
    (spell.result !== 'failed' || last.detail === spell.detail);
  if (!isSame) return [...past, spell].slice(-SPELLS_MAX);
  const { from } = last;
  return [...past.slice(0, -1), { ...spell, from, count: last.count + spell.count }];
}
