import { Injectable } from '@nestjs/common';
import { ErasureService } from './erasure.service.js';

/** Erases the accounts whose 90 days are over. */
@Injectable()
export class EraseJob {
  readonly name = 'erase';

  constructor(private readonly erasure: ErasureService) {}

  async runOnce(): Promise<void> {
    await this.erasure.eraseDue();
  }
}
