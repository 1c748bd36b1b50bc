import { Injectable } from '@nestjs/common';
import { type Job, Logger } from '#libs/platform';
import { ReconciliationService } from './reconciliation.service.js';

@Injectable()
export class ReconcileJob implements Job {
  readonly name = 'reconcile';

  constructor(
    private readonly reconciliation: ReconciliationService,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    const { runId, findings } = await this.reconciliation.run();
    const open = findings.filter(({ isHealed }) => !isHealed);
    if (open.length === 0) return;
    this.logger.error('billing does not agree with entitlement or a processor', {
      runId,
      count: open.length,
    });
  }
}
