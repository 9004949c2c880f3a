import type { Subject } from '../reproduction.js';
import { addresses } from './addresses.js';
import { brokenDocuments } from './broken-documents.js';
import { costlyRequests } from './costly-requests.js';
import { errorLists } from './error-lists.js';
import { filesAndLog } from './files-and-log.js';
import { flowTexts } from './flow-texts.js';
import { foreignPages } from './foreign-pages.js';
import { history } from './history.js';
import { idleSockets } from './idle-sockets.js';
import { inputSchemas } from './input-schemas.js';
import { lists } from './lists.js';
import { longNumbers } from './long-numbers.js';
import { otherDoors } from './other-doors.js';
import { oddCommands } from './odd-commands.js';
import { playedSteps } from './played-steps.js';
import { quotas } from './quotas.js';
import { secrets } from './secrets.js';
import { stuckBodies } from './stuck-bodies.js';
import { wrongTypes } from './wrong-types.js';

/** Every way of hurting Backstep from outside that is known. */
export const SUBJECTS: readonly Subject[] = [
  longNumbers,
  flowTexts,
  inputSchemas,
  foreignPages,
  lists,
  oddCommands,
  playedSteps,
  wrongTypes,
  brokenDocuments,
  secrets,
  stuckBodies,
  idleSockets,
  errorLists,
  history,
  quotas,
  costlyRequests,
  addresses,
  filesAndLog,
  otherDoors,
];
