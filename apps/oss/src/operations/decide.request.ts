import { Described, IsText, MayBeAbsent } from '../requests/decorators.js';
import { REASON } from '../requests/limits.js';
import { RequestReader } from '../requests/request-reader.js';

const WHY = '`comment` says why, in 1 to 1000 characters; it is kept with the operation.';
const CANCEL_WHY = '`reason` says why, in 1 to 1000 characters; it is kept with the operation.';

/** Body of `POST /v1/operations/{operationId}:cancel`. */
class CancelRequest {
  @Described(CANCEL_WHY)
  @MayBeAbsent()
  @IsText(REASON, CANCEL_WHY)
  reason?: string;
}

/** Reads that body. */
export const cancelReader = new RequestReader(CancelRequest);

/** Body of `POST /v1/operations/{operationId}:approve` and of `:reject`. */
class DecideRequest {
  @Described(WHY)
  @MayBeAbsent()
  @IsText(REASON, WHY)
  comment?: string;
}

/** Reads that body. */
export const decideReader = new RequestReader(DecideRequest);
