import { Injectable } from '@nestjs/common';
import { WorkQueue } from '#libs/work';

@Injectable()
export class PaidChecksQueue extends WorkQueue<Record<string, never>> {
  constructor() {
    super({ name: 'paid-checks' });
  }
}
