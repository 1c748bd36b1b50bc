import type { AccountClient } from '#libs/contracts';
import type { Job, Logger } from '#libs/platform';

const BATCH_MAX = 1_000;
const KEYS_MAX = 200_000;

/** Reports the used keys to the account service, which shows when each key was last used (S15). */
export class KeyUseJob implements Job {
  readonly name = 'key-use';
  private used = new Set<string>();

  constructor(
    private readonly account: AccountClient,
    private readonly logger: Logger,
  ) {}

  note(keyId: string): void {
    if (this.used.size < KEYS_MAX) this.used.add(keyId);
  }

  /** Reports the used keys. After a failure, the next report includes the same keys. */
  async runOnce(): Promise<void> {
    const keyIds = [...this.used];
    this.used = new Set();
    try {
      for (let first = 0; first < keyIds.length; first += BATCH_MAX) {
        await this.account.noteKeysUsed(keyIds.slice(first, first + BATCH_MAX));
      }
    } catch (error) {
      for (const keyId of keyIds) this.note(keyId);
      this.logger.warn('the account service could not be told which keys were used', error);
    }
  }
}
