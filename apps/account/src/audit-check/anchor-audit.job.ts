import { appendFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, type Job, Logger } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import { AuditAnchorsService } from './audit-anchors.service.js';

const FILE_MODE = 0o600;

/**
 * Writes a signed anchor once a day (UTC) and after each start, to the service's log and, if configured, to a file;
 * both are outside the database (S116). If the file cannot be written, the next run retries.
 */
@Injectable()
export class AnchorAuditJob implements Job {
  readonly name = 'anchor-audit';
  private loggedDay = -1;
  private anchoredDay = -1;

  constructor(
    private readonly anchors: AuditAnchorsService,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly config: AccountConfig,
  ) {}

  async runOnce(): Promise<void> {
    const day = Math.floor(this.clock.now().getTime() / DAY_MS);
    if (day === this.anchoredDay) return;
    const line = { msg: 'audit anchor', anchor: await this.anchors.take() };
    if (day !== this.loggedDay) this.logger.info(line.msg, { anchor: line.anchor });
    this.loggedDay = day;
    const { auditAnchorsPath: path } = this.config;
    if (path) {
      // The first line break ends a line that a kill or a full disk has cut off.
      await appendFile(path, `\n${JSON.stringify(line)}\n`, { mode: FILE_MODE, flush: true });
    }
    this.anchoredDay = day;
  }
}
