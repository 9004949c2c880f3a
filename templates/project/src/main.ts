import { StockModule } from './stock.module.js';

// Settings of your own begin with BACKSTEP_X_: Backstep leaves these alone, and refuses others.
const file = process.env['BACKSTEP_X_STOCK_FILE'] ?? './.backstep/stock.db';

/** The entry of `backstep dev` and `backstep start`: a Nest module, or a list of them. */
export default StockModule.register(file);
