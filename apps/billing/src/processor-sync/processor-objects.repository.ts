import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import type { ObjectRef } from './wanted-objects.js';

/** Guards against outdated fetches: a result is written only if no other one has been written since the fetch began. */
@Injectable()
export class ProcessorObjectsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads the value that is passed to `advance` after a fetch, and adds the object's row if there is none. Call this
   * before the fetch.
   */
  async readSyncNo({ processor, kind, id }: ObjectRef): Promise<string> {
    const [{ syncNo }] = await this.database.query<{ syncNo: string }>(
      `insert into processor_objects as o (processor, kind, external_id) values ($1, $2, $3)
       on conflict (processor, kind, external_id) do update set sync_no = o.sync_no
       returning sync_no as "syncNo"`,
      [processor, kind, id],
    );
    return syncNo;
  }

  /** @returns false if the result of another fetch, perhaps a newer one, has been written since `syncNo` was read. */
  async advance(
    transaction: Transaction,
    { processor, kind, id }: ObjectRef,
    syncNo: string,
  ): Promise<boolean> {
    const written = await transaction.execute(
      `update processor_objects set sync_no = sync_no + 1, synced_at = clock_timestamp()
       where processor = $1 and kind = $2 and external_id = $3 and sync_no = $4`,
      [processor, kind, id, syncNo],
    );
    return written === 1;
  }
}
