import { type DynamicModule, Module, type OnModuleDestroy } from '@nestjs/common';
import { SystemClock } from 'backstep';
import { BARRIER_TABLE, openSqlite, SqliteBarrier, SqliteFile } from 'backstep/barrier';
import { STOCK_TABLE, StockExecutor } from './stock.executor.js';

/** The executor of the module `stock`, and the file with its table. */
@Module({})
export class StockModule implements OnModuleDestroy {
  /** `path`: the SQLite file, which is created if it is missing. */
  static register(path: string): DynamicModule {
    const clock = new SystemClock();
    const migrations = [BARRIER_TABLE, STOCK_TABLE];
    return {
      module: StockModule,
      controllers: [StockExecutor],
      providers: [
        { provide: SqliteFile, useFactory: () => openSqlite({ clock, file: path, migrations }) },
        {
          provide: SqliteBarrier,
          inject: [SqliteFile],
          useFactory: (file: SqliteFile) => new SqliteBarrier(file, clock),
        },
      ],
    };
  }

  constructor(private readonly file: SqliteFile) {}

  onModuleDestroy(): Promise<void> {
    return this.file.close();
  }
}
