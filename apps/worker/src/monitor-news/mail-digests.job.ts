import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { type Mail, MailOutbox, composeMail } from '#libs/mail';
import { Clock, type Job, forEachInOrder } from '#libs/platform';
import { ServiceClients } from '../service-clients.js';
import { WorkerConfig } from '../worker.config.js';
import { type DigestLine, DigestsMaintenanceRepository } from './digests-maintenance.repository.js';
import { lineOf } from './monitor-news.js';

const ACCOUNTS_AT_ONCE = 100;
const LINES_MAX = 30;

/** E-mails the events of monitors, at most once an hour per account. */
@Injectable()
export class MailDigestsJob implements Job {
  readonly name = 'mail-monitor-digests';

  constructor(
    private readonly database: Database,
    private readonly digests: DigestsMaintenanceRepository,
    private readonly clients: ServiceClients,
    private readonly mails: MailOutbox,
    private readonly config: WorkerConfig,
    private readonly clock: Clock,
  ) {}

  /** @throws AggregateError if some e-mails could not be composed, after all accounts were tried. */
  async runOnce(): Promise<void> {
    const now = this.clock.now();
    const due = await this.digests.listDue(this.database, now, ACCOUNTS_AT_ONCE);
    await forEachInOrder(due, (accountId) => this.mail(accountId, now));
  }

  private async mail(accountId: string, now: Date): Promise<void> {
    const email = await this.clients.mailAddressOf(accountId);
    await this.database.transaction(async (transaction) => {
      if (!(await this.digests.take(transaction, accountId, now))) return;
      const { lines, count } = await this.digests.takeLines(transaction, accountId, LINES_MAX);
      if (email === undefined || count === 0) return;
      await this.mails.add(transaction, accountId, this.compose(email, lines, count));
    });
  }

  private compose(email: string, lines: readonly DigestLine[], count: number): Mail {
    const more = count - lines.length;
    return composeMail(email, {
      subject: count === 1 ? 'An event from your monitor' : `${count} events from your monitors`,
      paragraphs: [
        'Your monitors have reported events. The dashboard shows the details.',
        ...lines.map((line) => `${line.monitorName}: ${lineOf(line)}`),
        ...(more > 0 ? [`And ${more} more.`] : []),
      ],
      action: { label: 'Open the monitors', url: `${this.config.dashboardUrl}/monitors` },
    });
  }
}
