export {
  accessNotes,
  isWritten,
  type LoadOptions,
  loadSettings,
  printSettings,
  settingWarnings,
} from './load-settings.js';
export { isThisMachine } from './clear-text.js';
export {
  type ExecutorStore,
  executorStore,
  type LogLevel,
  type Mode,
  type SettingRow,
  type Settings,
  SettingsError,
} from './settings.js';
export { maskUrl, maskUrls } from './mask.js';
export { hasOwnSubjects } from './oidc-client.js';
export { leadsIntoFile, makeFolder, ownFolder } from './own-folder.js';
export { takes } from './parsers.js';
export type {
  AuthSetting,
  Listener,
  ListenerAddress,
  StoreSetting,
  TransportSetting,
} from './parsers.js';
export { CONFIG_FILE, type SettingsInput } from './sources.js';
export { resolversIn } from './secret-rules.js';
export type { SettingEntry } from './setting-entry.js';
export { SETTINGS, variableOf } from './table.js';
