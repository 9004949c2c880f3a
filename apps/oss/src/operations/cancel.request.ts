import { Described, IsText, MayBeAbsent } from '../requests/decorators.js';
import { REASON } from '../requests/limits.js';
import { RequestReader } from '../requests/request-reader.js';

const WHY = '`reason` says why, in 1 to 1000 characters; it is kept with the operation.';

/** Body of `POST /v1/operations/{operationId}:cancel`. */
class CancelRequest {
  @Described(WHY)
  @MayBeAbsent()
  @IsText(REASON, WHY)
  reason?: string;
}

/** Reads that body. */
export const cancelReader = new RequestReader(CancelRequest);
