import { Injectable } from '@nestjs/common';
import { KeyRecordService } from './key-records.service.js';

@Injectable()
export class ExpireKeysJob {
  readonly name = 'expire-keys';

  constructor(private readonly keyRecords: KeyRecordService) {}

  async runOnce(): Promise<void> {
    await this.keyRecords.expireDue();
  }
}
