import type { Parser } from './parsers.js';
import type { Mode, Settings } from './settings.js';

/** One setting. */
export interface SettingEntry<T = unknown> {
  readonly parse: Parser<T>;
  /** As an operator would write it; null: none. A function where it depends on something. */
  readonly fallback: string | null | ((known: Fallbacks) => string);
  /** The default in words, where it depends on something. */
  readonly depends?: string;
  readonly meaning: string;
  /**
   * `secret`: never shown. `url`: only its scheme and hosts are shown. Both may come from a file
   * named by `<NAME>_FILE`.
   */
  readonly hidden?: 'secret' | 'url';
}

/** Inputs of a default: settings earlier in the table, and the mode of the process. */
export interface Fallbacks {
  readonly mode: Mode;
  readonly settings: Partial<Settings>;
  /** The folder for what processes keep, unless a setting names another place. */
  readonly home: string;
}
