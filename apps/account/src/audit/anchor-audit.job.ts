import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, type Job, Logger } from '#libs/platform';
import { AuditCheckService } from './audit-check.service.js';

/** Once a UTC day, and after each start: a signed anchor to the service's log, which is kept elsewhere (S116). */
@Injectable()
export class AnchorAuditJob implements Job {
  readonly name = 'anchor-audit';
  private anchoredDay = -1;

  constructor(
    private readonly audit: AuditCheckService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    const day = Math.floor(this.clock.now().getTime() / DAY_MS);
    if (day === this.anchoredDay) return;
    this.logger.info('audit anchor', { anchor: await this.audit.anchor() });
    this.anchoredDay = day;
  }
}
