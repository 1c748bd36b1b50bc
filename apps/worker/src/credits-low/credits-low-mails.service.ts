import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { type Mail, composeMail } from '#libs/mail';
import { counted } from '#libs/platform';
import { AccountStatesService } from '../accounts/account-states.service.js';
import { ServiceClients } from '../service-clients.js';
import { WorkerConfig } from '../worker.config.js';
import type { CreditsLowWork } from './credits-low-queue.js';

@Injectable()
export class CreditsLowMailsService {
  constructor(
    private readonly database: Database,
    private readonly states: AccountStatesService,
    private readonly clients: ServiceClients,
    private readonly config: WorkerConfig,
  ) {}

  /** @returns undefined if the account is deleted or no longer exists. */
  async compose(
    accountId: string,
    { threshold, remaining }: CreditsLowWork,
  ): Promise<Mail | undefined> {
    const { state } = await this.states.find(this.database, accountId);
    if (state !== 'active') return undefined;
    const email = await this.clients.mailAddressOf(accountId);
    if (email === undefined) return undefined;
    const isOver = threshold === 0;
    return composeMail(email, {
      subject: isOver ? 'Your credits are used up' : 'Your credits are running out',
      paragraphs: [
        isOver
          ? 'You have no credits left. Requests that cost credits are rejected until you get more.'
          : `You have ${counted(remaining, 'credit')} left.`,
        'Buy a package, or subscribe to a plan with monthly credits.',
      ],
      action: { label: 'Buy credits', url: `${this.config.dashboardUrl}/credits` },
    });
  }
}
