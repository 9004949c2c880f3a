/**
 * A share from 0 to 1 as a percentage with one digit. It is told as all or nothing only where it is
 * that.
 */
export function percentWords(share: number): string {
  const told = Math.min(0.999, Math.max(0.001, share));
  const exact = share === 0 || share === 1 ? share : told;
  const style = { style: 'percent', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(undefined, style).format(exact);
}
