export {
  type Duration,
  DURATION_PATTERN,
  formatDuration,
  momentMs,
  parseDuration,
  parsePositiveDuration,
  readDuration,
  WrongDuration,
} from './duration.js';
export { nearName, plainName } from './near-name.js';
export { plainJson, plainLine, plainSpaced, unturned } from './plain-line.js';
