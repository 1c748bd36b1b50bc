import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import type {
  IdentitiesAnswer,
  OthersEndedAnswer,
  PasskeysAnswer,
  SecondFactorAnswer,
  SessionsAnswer,
} from '#libs/contracts';
import { NotFound } from '#libs/platform';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import type { Notice } from '../pages/layout.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { endOthersPage, endPage, securityPage } from './security-page.js';

@Controller()
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class SecurityPagesController {
  @Get('security')
  view(@Visit() visit: PageVisit) {
    return this.show(visit);
  }

  /** Redirects the former URL of the list of sessions. */
  @Get('sessions')
  lead(@Visit() visit: PageVisit) {
    return visit.goTo('/security');
  }

  @Get('security/sessions/end-others')
  askToEndOthers(@Visit() visit: PageVisit) {
    return visit.show(endOthersPage(visit.context));
  }

  @Post('security/sessions/end-others')
  async endOthers(@Visit() visit: PageVisit, @Body() _form: PageForm) {
    const answer = await visit.account({ method: 'DELETE', path: '/sessions' });
    if (isRefused(answer)) return this.show(visit, faultNotice(answer), answer.status);
    const { ended } = answer.body as OthersEndedAnswer;
    const text = ended === 1 ? 'One session was ended.' : `${ended} sessions were ended.`;
    return this.show(visit, { kind: 'done', text });
  }

  /** Asks before another session is ended. @throws NotFound if there is no such session; account's rejection. */
  @Get('security/sessions/:id/end')
  async askToEnd(@Visit() visit: PageVisit, @Param('id') id: string) {
    const answer = await visit.account({ method: 'GET', path: '/sessions' });
    if (answer.refusal) throw answer.refusal;
    const { sessions } = answer.body as SessionsAnswer;
    const session = sessions.find((one) => one.id === id && !one.current);
    if (!session) throw new NotFound();
    return visit.show(endPage(visit.context, session));
  }

  @Post('security/sessions/:id/end')
  async end(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/sessions/${encodeURIComponent(id)}`;
    const answer = await visit.account({ method: 'DELETE', path });
    if (!isRefused(answer)) return visit.goTo('/security');
    return this.show(visit, faultNotice(answer), answer.status);
  }

  /** @throws account's rejection. */
  private async show(visit: PageVisit, notice?: Notice, status = 200) {
    const read = async <T>(path: string) => {
      const answer = await visit.account({ method: 'GET', path });
      if (answer.refusal) throw answer.refusal;
      return answer.body as T;
    };
    const [identities, secondFactor, { passkeys }, { sessions }] = await Promise.all([
      read<IdentitiesAnswer>('/identities'),
      read<SecondFactorAnswer>('/second-factor'),
      read<PasskeysAnswer>('/passkeys'),
      read<SessionsAnswer>('/sessions'),
    ]);
    const facts = { identities, secondFactor, passkeys, sessions };
    return visit.show(securityPage(visit.context, facts, notice), status);
  }
}
