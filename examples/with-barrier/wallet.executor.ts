/**
 * An executor whose effects stay right even if its commands are started twice, late or out of
 * order: the barrier stores each effect together with a mark of it, in one transaction.
 */
import { Command, type CommandContext, Executor, KeepsMarks, TerminalError } from 'backstep';
import { SqliteBarrier, type SqliteFile, type SqliteTx, type TaskMarks } from 'backstep/barrier';
import { IsInt, IsString, Min } from 'class-validator';

/** Migration of the executor's own file. The barrier has one too, `BARRIER_TABLE`. */
export const WALLET_TABLE = `
  CREATE TABLE wallets (
    name TEXT PRIMARY KEY,
    cents INTEGER NOT NULL CHECK (cents >= 0)
  ) WITHOUT ROWID;
`;

class PayParameters {
  @IsString()
  wallet!: string;

  @IsInt()
  @Min(1)
  cents!: number;
}

/** Runs the commands of the module `wallet`. */
@Executor('wallet')
export class WalletExecutor {
  constructor(
    private readonly file: SqliteFile,
    private readonly barrier: SqliteBarrier,
  ) {}

  @Command('pay')
  pay({ cents, wallet }: PayParameters, context: CommandContext): Promise<object | null> {
    return this.barrier.forward(context, (tx) => {
      if (change(tx, wallet, -cents) === 0) throw new TerminalError(`${wallet} has too little`);
      return { wallet, paid: cents };
    });
  }

  @Command('pay_back')
  payBack({ cents, wallet }: PayParameters, context: CommandContext): Promise<void> {
    // The callback runs only where `pay` had its effect.
    return this.barrier.rollback(context, (tx) => {
      change(tx, wallet, cents);
    });
  }

  /** The barriers whose marks of removed tasks Backstep deletes. */
  @KeepsMarks()
  marks(): readonly TaskMarks[] {
    return [this.barrier];
  }

  /** For the page of the module, and for tests. */
  balance(wallet: string): number | undefined {
    const find = 'SELECT cents FROM wallets WHERE name = ?';
    return this.file.read((tx) => tx.get<{ cents: number }>(find, wallet)?.cents);
  }
}

/** Returns how many wallets have changed: none if the balance would fall below zero. */
function change(tx: SqliteTx, wallet: string, cents: number): number {
  const update = 'UPDATE wallets SET cents = cents + ?1 WHERE name = ?2 AND cents + ?1 >= 0';
  return tx.run(update, cents, wallet);
}
