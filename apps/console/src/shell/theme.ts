import { useEffect, useState } from 'preact/hooks';
import { keep, kept } from '../browser/storage.js';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const NAME = 'theme';

/** The colours that the reader chose, how to choose the next, and how to choose any. */
export function useTheme(): readonly [Theme, () => void, (theme: Theme) => void] {
  const [theme, set] = useState<Theme>(
    () => THEMES.find((known) => known === kept(NAME)) ?? 'system',
  );
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
    keep(NAME, theme === 'system' ? null : theme);
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return [theme, () => set(next), set];
}
