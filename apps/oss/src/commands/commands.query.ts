import { placeCursor, wholePageLimit } from '../requests/page.query.js';
import { RequestQuery } from '../requests/request-query.js';

/** The query of `GET /v1/commands`; the place of a command is its id. */
export const COMMANDS_QUERY = new RequestQuery({
  limit: wholePageLimit('commands'),
  cursor: placeCursor(),
});
