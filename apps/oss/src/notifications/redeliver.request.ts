import { Described, IsText } from '../requests/decorators.js';
import { lineForm } from '../requests/limits.js';
import { RequestReader } from '../requests/request-reader.js';

const ID = lineForm(1, 300);
const WHICH = '`deliveryId` is the id of a message, as the list of deliveries shows it.';

/** Body of `:redeliver`. */
class RedeliverRequest {
  @Described(WHICH)
  @IsText(ID, WHICH)
  deliveryId!: string;
}

/** Reads the body of `:redeliver`. */
export const redeliverReader = new RequestReader(RedeliverRequest);
