import { Controller, Get } from '@nestjs/common';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardSettings } from '../dashboard-settings.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { mailboxPage } from './mailbox-page.js';

const MESSAGES_MAX = 50;

/** The mail of an installation that sends none. Open to everybody who can reach this machine's loopback. */
@Controller('mailbox')
@AllowVisitors('anyone')
export class MailboxController {
  constructor(private readonly settings: DashboardSettings) {}

  @Get()
  async show(@Visit() visit: PageVisit) {
    const { mailbox, origin } = this.settings;
    const messages = (await mailbox?.newest(MESSAGES_MAX)) ?? [];
    return visit.show(mailboxPage(visit.context, messages, origin));
  }
}
