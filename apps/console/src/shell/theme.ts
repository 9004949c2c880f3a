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
    keep(NAME, theme === 'system' ? null : theme);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const show = (): void => {
      document.documentElement.dataset['theme'] = colours(theme, system.matches);
    };
    show();
    system.addEventListener('change', show);
    return () => system.removeEventListener('change', show);
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return [theme, () => set(next), set];
}

/** The palette of a choice: the styles have each once, so that the system's is named here. */
function colours(theme: Theme, isSystemDark: boolean): Exclude<Theme, 'system'> {
  if (theme !== 'system') return theme;
  return isSystemDark ? 'dark' : 'light';
}
