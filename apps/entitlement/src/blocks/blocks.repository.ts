import { Injectable } from '@nestjs/common';
import type { BlockCause, BlockedPart } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';

export interface NewBlock {
  accountId: string;
  cause: BlockCause;
  blocks: readonly BlockedPart[];
  reason: string;
  from: Date;
  to?: Date;
}

@Injectable()
export class BlocksRepository {
  async insert(transaction: Transaction, block: NewBlock, allowanceVersion: number): Promise<void> {
    const { accountId, cause, blocks, reason, from, to } = block;
    await transaction.query(
      `insert into access_blocks (id, account_id, cause, blocks, reason, from_at, to_at,
         allowance_version) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [newId(), accountId, cause, blocks, reason, from, to ?? null, allowanceVersion],
    );
  }

  async end(
    transaction: Transaction,
    { accountId, cause, to }: { accountId: string; cause: BlockCause; to: Date },
    allowanceVersion: number,
  ): Promise<void> {
    await transaction.query(
      `update access_blocks set to_at = $3, allowance_version = $4
       where account_id = $1 and cause = $2 and (to_at is null or to_at > $3)`,
      [accountId, cause, to, allowanceVersion],
    );
  }
}
