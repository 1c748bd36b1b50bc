import { Injectable } from '@nestjs/common';
import { KeyFactsService } from './key-facts.service.js';

/** Retires expired keys. */
@Injectable()
export class ExpireKeysJob {
  readonly name = 'expire-keys';

  constructor(private readonly facts: KeyFactsService) {}

  async runOnce(): Promise<void> {
    await this.facts.expireDue();
  }
}
