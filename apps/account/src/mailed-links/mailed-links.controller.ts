import { Body, Controller } from '@nestjs/common';
import { CheckLinkRequest, LINK_CHECK } from '#libs/contracts';
import { ServesBrowser } from '../sessions/session-guard.js';
import { MailedLinksService } from './mailed-links.service.js';

@Controller()
export class MailedLinksController {
  constructor(private readonly links: MailedLinksService) {}

  @ServesBrowser(LINK_CHECK)
  check(@Body() request: CheckLinkRequest) {
    return this.links.check(request);
  }
}
