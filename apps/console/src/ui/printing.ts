import { useEffect, useState } from 'preact/hooks';

/** Whether the page is drawn for paper now. */
export function usePrinting(): boolean {
  const [isPrinting, set] = useState(() => matchMedia('print').matches);
  useEffect(() => {
    const media = matchMedia('print');
    const look = (): void => set(media.matches);
    const begin = (): void => set(true);
    const end = (): void => set(false);
    media.addEventListener('change', look);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      media.removeEventListener('change', look);
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}
