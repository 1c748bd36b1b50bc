import { Injectable } from '@nestjs/common';
import { ErasureService } from './erasure.service.js';

/**
 * Erases the accounts whose 90 days are over. The first run also erases accounts that a restored database contains
 * again; if that fails, the next run tries again.
 */
@Injectable()
export class EraseJob {
  readonly name = 'erase';
  private isListApplied = false;

  constructor(private readonly erasure: ErasureService) {}

  async runOnce(): Promise<void> {
    try {
      if (!this.isListApplied) await this.erasure.eraseRestored();
      this.isListApplied = true;
    } finally {
      await this.erasure.eraseDue();
    }
  }
}
