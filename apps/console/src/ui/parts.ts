import { useEffect, useState } from 'preact/hooks';

/**
 * How many parts of a page are drawn after the first one: one more with each turn of the browser,
 * so that no turn is long and a reader's click waits for one part only.
 */
export function useParts(count: number): number {
  const [drawn, set] = useState(0);
  useEffect(() => {
    if (drawn >= count) return undefined;
    const timer = setTimeout(() => set(drawn + 1));
    return () => clearTimeout(timer);
  }, [drawn, count]);
  return drawn;
}
