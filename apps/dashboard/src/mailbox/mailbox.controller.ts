import { Controller, Get } from '@nestjs/common';
import { NotFound } from '#libs/platform';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardSettings } from '../dashboard-settings.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { mailboxPage } from './mailbox-page.js';

const MESSAGES_MAX = 50;

const FOR_BROWSERS_HERE =
  'The mailbox is shown only to a browser on the machine that runs this service, and never through a proxy. With curl, add: -H "Connection: keep-alive"';

/**
 * Shows the e-mails that an installation without a mail server stores instead of sending. They are shown to everyone on
 * this machine, but never through a proxy.
 */
@Controller('mailbox')
@AllowVisitors('anyone')
export class MailboxController {
  constructor(private readonly settings: DashboardSettings) {}

  /** @throws NotFound for requests from other machines or through a proxy (S128). */
  @Get()
  async show(@Visit() visit: PageVisit) {
    const { mailbox, origin } = this.settings;
    if (!visit.isFromThisMachine) throw new NotFound(mailbox && FOR_BROWSERS_HERE);
    const messages = (await mailbox?.newest(MESSAGES_MAX)) ?? [];
    return visit.show(mailboxPage(visit.context, messages, origin));
  }
}
