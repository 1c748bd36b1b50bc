import { appendFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, type Job, Logger } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import { AuditAnchorsService } from './audit-anchors.service.js';
import type { SignedAnchor } from './audit-seal.js';

const FILE_MODE = 0o600;
const MESSAGE = 'audit anchor';

/**
 * Writes a signed anchor once a day (UTC) and after each start, to the service's log and, if configured, to a file;
 * both are outside the database (S116). If the file cannot be written, the next run retries with the same anchor.
 */
@Injectable()
export class AnchorAuditJob implements Job {
  readonly name = 'anchor-audit';
  private taken: { day: number; anchor: SignedAnchor } | undefined;
  private writtenDay = -1;

  constructor(
    private readonly anchors: AuditAnchorsService,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly config: AccountConfig,
  ) {}

  async runOnce(): Promise<void> {
    const day = Math.floor(this.clock.now().getTime() / DAY_MS);
    if (day === this.writtenDay) return;
    if (this.taken?.day !== day) {
      this.taken = { day, anchor: await this.anchors.take() };
      this.logger.info(MESSAGE, { anchor: this.taken.anchor });
    }
    const { anchor } = this.taken;
    const { auditAnchorsPath: path } = this.config;
    if (path) {
      // The first line break ends a line that a kill or a full disk has cut off.
      const line = JSON.stringify({ msg: MESSAGE, anchor });
      await appendFile(path, `\n${line}\n`, { mode: FILE_MODE, flush: true });
    }
    this.writtenDay = day;
  }
}
