import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { type Mail, composeMail } from '#libs/mail';
import { counted } from '#libs/platform';
import { AccountStatesService } from '../accounts/account-states.service.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { type Job, jobAnswer, priceOf } from '../jobs/job.js';
import { ServiceClients } from '../service-clients.js';
import { WorkerConfig } from '../worker.config.js';

const NAMES_OF_KINDS = { whois: 'WHOIS', dns: 'DNS' } as const;

/**
 * Announces the end of a job by e-mail and to webhooks. The e-mail contains counts, but no names or answers, and a link
 * to a page that requires a log-in (S83).
 */
@Injectable()
export class ResultMailsService {
  constructor(
    private readonly database: Database,
    private readonly states: AccountStatesService,
    private readonly clients: ServiceClients,
    private readonly deliveries: DeliveriesService,
    private readonly config: WorkerConfig,
  ) {}

  /**
   * @param job with its file of results, if there is one.
   * @returns undefined if the account is deleted or no longer exists. Its deletion ends its jobs.
   */
  async compose(job: Job): Promise<Mail | undefined> {
    const { state } = await this.states.find(this.database, job.accountId);
    if (state !== 'active') return undefined;
    const email = await this.clients.mailAddressOf(job.accountId);
    if (email === undefined) return undefined;
    const { id, kind, delivered, failed, charged, artifact } = job;
    const kindName = NAMES_OF_KINDS[kind];
    const released = priceOf(job) - charged;
    const ofRest = released > 0 ? `, ${released.toLocaleString('en-US')} released` : '';
    return composeMail(email, {
      subject: `Your bulk ${kindName} job ${endingOf(job)}`,
      paragraphs: [
        `${counted(delivered, 'name')} with a charged answer, ${failed.toLocaleString('en-US')} without one. ${counted(charged, 'credit')} charged${ofRest}.`,
        artifact
          ? 'Log in to download the results. They are kept for 30 days.'
          : `The job ${job.state === 'failed' ? 'could not be completed' : 'ended before any name was answered'}, so there are no results.`,
      ],
      action: {
        label: artifact ? 'Open the results' : 'Open the job',
        url: `${this.config.dashboardUrl}/jobs/${id}`,
      },
    });
  }

  /** Notifies the account's webhooks, in the transaction that ends the job. */
  async publish(transaction: Transaction, job: Job): Promise<void> {
    const { id } = job;
    const { kind, state, counts, credits } = jobAnswer(job, job.finishedAt ?? job.createdAt);
    const event = {
      id,
      type: 'job.completed',
      data: { id, kind, state, counts, credits },
    } as const;
    await this.deliveries.publish(transaction, job.accountId, event);
  }
}

function endingOf({ state, isCanceled }: Job): string {
  if (state === 'failed') return 'has failed';
  return isCanceled ? 'was cancelled' : 'is finished';
}
