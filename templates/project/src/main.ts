import { StockModule } from './stock.module.js';

// Your own settings begin with BACKSTEP_X_. Backstep refuses other unknown BACKSTEP_ names.
const file = process.env['BACKSTEP_X_STOCK_FILE'] ?? './.backstep/stock.db';

/** The entry of `backstep dev` and `backstep start`: a Nest module, or a list of them. */
export default StockModule.register(file);
