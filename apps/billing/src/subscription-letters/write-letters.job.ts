import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job, Logger } from '#libs/platform';
import { LettersService } from '../letters/letters.service.js';
import { type DueLetter, DueLettersMaintenanceRepository } from './due-letters.repository.js';
import { subscriptionLetter } from './subscription-letter.js';

const LETTERS_MAX = 200;

/** Writes what subscribers must hear: a renewal that comes, a payment that failed, an end. */
@Injectable()
export class WriteLettersJob implements Job {
  readonly name = 'write-letters';

  // oxlint-disable-next-line eslint/max-params -- a constructor may have six
  constructor(
    private readonly database: Database,
    private readonly dueLetters: DueLettersMaintenanceRepository,
    private readonly letters: LettersService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    for (const due of await this.dueLetters.list(this.clock.now(), LETTERS_MAX)) {
      // Whom account cannot tell now is written to in the next round; the others need not wait.
      await this.write(due).catch((error: unknown) =>
        this.logger.warn('a letter could not be written yet', { about: due.about, err: error }),
      );
    }
  }

  private async write(due: DueLetter): Promise<void> {
    const contact = await this.letters.contactOf(due.accountId);
    if (!contact) return;
    const letter = subscriptionLetter(due);
    await this.database.transaction((transaction) =>
      this.letters.write(transaction, contact, { about: due.about, letter }),
    );
  }
}
