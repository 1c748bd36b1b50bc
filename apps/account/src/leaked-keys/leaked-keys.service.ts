import { Injectable } from '@nestjs/common';
import { type KeyRecord, hashApiKey, isWellFormedApiKey } from '#libs/contracts';
import { Clock, InvalidRequest, NotFound } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import { AccountIsDeleted } from '../accounts/accounts.errors.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { KeyRecordService } from '../key-records/key-records.service.js';
import { describeKey } from '../keys/key-answer.js';
import { KeyChangesService, type Tell } from '../keys/key-changes.service.js';
import { OwnerMailService } from '../people/owner-mail.service.js';
import { leakMail } from './leak-mail.js';

/** A published text that looks like a key, and the page where it was found; empty if unknown. */
interface Finding {
  token: string;
  url: string;
}

/** Revokes API keys that somebody published. */
@Injectable()
export class LeakedKeysService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly records: KeyRecordService,
    private readonly changes: KeyChangesService,
    private readonly mail: OwnerMailService,
    private readonly clock: Clock,
    private readonly config: AccountConfig,
  ) {}

  /**
   * Revokes the keys in a report, and sends an e-mail to the owner of each. A repeated report changes nothing.
   * @param report the bytes of a JSON array in the format of GitHub's secret scanning, whose sender is verified.
   * @throws InvalidRequest for any other content.
   */
  async revoke(report: Buffer): Promise<void> {
    for (const { token, url } of findingsIn(report)) {
      if (!isWellFormedApiKey(token)) continue;
      const key = await this.records.find(hashApiKey(token, this.config.keyPepper));
      if (key?.state === 'active') await this.revokeOne(key, url);
    }
  }

  private async revokeOne({ accountId, keyId }: KeyRecord, url: string): Promise<void> {
    try {
      await this.accounts.runCommand(accountId, {}, async (transaction) => {
        const locked = await this.changes.lockKey(transaction, accountId, keyId);
        const tell: Tell = (key) =>
          this.mail.send(transaction, accountId, leakMail(describeKey(key, this.clock.now()), url));
        return this.changes.revoke(transaction, 'system', locked, { because: 'leak', tell });
      });
    } catch (error) {
      // The deletion of an account revokes its keys.
      if (!(error instanceof AccountIsDeleted || error instanceof NotFound)) throw error;
    }
  }
}

function findingsIn(report: Buffer): Finding[] {
  try {
    const items = JSON.parse(report.toString()) as Partial<Finding>[];
    return items.map(({ token, url }) => ({ token: String(token), url: String(url ?? '') }));
  } catch {
    throw new InvalidRequest([{ field: 'body', message: 'must be a JSON array of objects' }]);
  }
}
