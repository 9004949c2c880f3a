import { Command, type CommandContext, Executor, TerminalError } from 'backstep';
import { SqliteBarrier, SqliteFile, type SqliteTx } from 'backstep/barrier';
import { IsInt, IsString, Min, MinLength } from 'class-validator';

/** The table of this module. The barrier keeps its marks in another table of the same file. */
export const STOCK_TABLE = `
  CREATE TABLE stock (
    item TEXT PRIMARY KEY,
    count INTEGER NOT NULL CHECK (count >= 0)
  ) WITHOUT ROWID;
  INSERT INTO stock VALUES ('chair', 100), ('table', 10);
`;

class ReserveParameters {
  @IsString()
  item!: string;

  @IsInt()
  @Min(1)
  count!: number;
}

class SendParameters {
  @IsString()
  @MinLength(1)
  address!: string;
}

/** Runs the commands of the module `stock`. */
@Executor('stock')
export class StockExecutor {
  constructor(
    private readonly file: SqliteFile,
    private readonly barrier: SqliteBarrier,
  ) {}

  /** Takes items out of stock: once, however often it is started, and never after `put_back`. */
  @Command('reserve')
  reserve(
    { count, item }: ReserveParameters,
    context: CommandContext,
  ): Promise<{ readonly reserved: number } | null> {
    return this.barrier.forward(context, (tx) => {
      if (change(tx, item, -count) === 0) throw new TerminalError(`not enough of ${item}`);
      return { reserved: count };
    });
  }

  /** Undoes `reserve`. The callback runs only if `reserve` had its effect. */
  @Command('put_back')
  putBack({ count, item }: ReserveParameters, context: CommandContext): Promise<void> {
    return this.barrier.rollback(context, (tx) => {
      change(tx, item, count);
    });
  }

  @Command('send')
  send({ address }: SendParameters): object {
    if (address === 'nowhere') throw new TerminalError('nobody delivers to nowhere');
    return { sentTo: address };
  }

  /** How many there are; for tests and pages. */
  count(item: string): number | undefined {
    const find = 'SELECT count FROM stock WHERE item = ?';
    return this.file.read((tx) => tx.get<{ count: number }>(find, item)?.count);
  }
}

/** Returns how many rows have changed: none if the count would fall below zero. */
function change(tx: SqliteTx, item: string, count: number): number {
  const update = 'UPDATE stock SET count = count + ?1 WHERE item = ?2 AND count + ?1 >= 0';
  return tx.run(update, count, item);
}
