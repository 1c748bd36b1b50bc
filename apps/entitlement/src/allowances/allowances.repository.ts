import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import type { AllowanceSources, Override } from './allowance.js';

type StoredSources = Pick<AllowanceSources, 'overrides' | 'blocks'>;

export interface AllowanceState {
  version: number;
  packageTier?: string;
}

@Injectable()
export class AllowancesRepository {
  /**
   * Reads the version of an allowance, and the tier. Read this before everything else, so that the answer includes at
   * least the changes up to that version.
   */
  async findState(transaction: Transaction, accountId: string): Promise<AllowanceState> {
    const [row] = await transaction.query<{ version: string; tier: string | null }>(
      'select allowance_version as version, package_tier as tier from credit_accounts where id = $1',
      [accountId],
    );
    return { version: Number(row?.version ?? 0), packageTier: row?.tier ?? undefined };
  }

  async listSources(
    transaction: Transaction,
    accountId: string,
    now: Date,
  ): Promise<StoredSources> {
    const [overrides, blocks] = await Promise.all([
      transaction.query<Override>(
        `select name, value, from_at as "from", until_at as until from allowance_overrides
         where account_id = $1 and until_at > $2 order by allowance_version, id`,
        [accountId, now],
      ),
      transaction.query<StoredSources['blocks'][number]>(
        `select cause, blocks, from_at as "from", to_at as "to" from access_blocks
         where account_id = $1 and (to_at is null or to_at > $2) order by from_at, id`,
        [accountId, now],
      ),
    ]);
    return { overrides, blocks: blocks.map((block) => ({ ...block, to: block.to ?? undefined })) };
  }

  async insertOverride(
    transaction: Transaction,
    accountId: string,
    override: Override & { reason: string },
    allowanceVersion: number,
  ): Promise<void> {
    const { name, value, reason, from, until } = override;
    await transaction.query(
      `insert into allowance_overrides (id, account_id, name, value, reason, from_at, until_at,
         allowance_version) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [newId(), accountId, name, value, reason, from, until, allowanceVersion],
    );
  }

  /** @returns whether there was an override that had not ended. */
  async endOverrides(
    transaction: Transaction,
    accountId: string,
    { name, now }: { name: string; now: Date },
  ): Promise<boolean> {
    const ended = await transaction.execute(
      `update allowance_overrides set until_at = $3
       where account_id = $1 and name = $2 and until_at > $3`,
      [accountId, name, now],
    );
    return ended > 0;
  }
}
