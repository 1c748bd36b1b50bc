import { Body, Controller } from '@nestjs/common';
import { CheckLinkRequest, LINK_CHECK } from '#libs/contracts';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { ServesBrowser } from '../sessions/session-guard.js';
import { LinkAttemptsService } from '../throttling/link-attempts.service.js';
import { MailedLinksService } from './mailed-links.service.js';

@Controller()
export class MailedLinksController {
  constructor(
    private readonly attempts: LinkAttemptsService,
    private readonly links: MailedLinksService,
  ) {}

  @ServesBrowser(LINK_CHECK)
  check(@Body() request: CheckLinkRequest, @CurrentVisitor() visitor: Visitor) {
    return this.attempts.count(visitor, () => this.links.check(request));
  }
}
