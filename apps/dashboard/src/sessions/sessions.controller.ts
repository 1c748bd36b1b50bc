import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import type { OthersEndedAnswer, SessionsAnswer } from '#libs/contracts';
import { NotFound } from '#libs/platform';
import { AllowVisitors } from '../browser/allow-visitors.js';
import type { Notice } from '../pages/layout.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { endOthersPage, endPage, sessionsPage } from './sessions-page.js';

/** The browsers that are logged in. */
@Controller('sessions')
@AllowVisitors('logged-in')
export class SessionPagesController {
  @Get()
  view(@Visit() visit: PageVisit) {
    return this.show(visit);
  }

  @Get('end-others')
  askToEndOthers(@Visit() visit: PageVisit) {
    return visit.show(endOthersPage(visit.context));
  }

  @Post('end-others')
  async endOthers(@Visit() visit: PageVisit, @Body() _form: PageForm) {
    const answer = await visit.account({ method: 'DELETE', path: '/sessions' });
    if (isRefused(answer)) return this.show(visit, faultNotice(answer), answer.status);
    const { ended } = answer.body as OthersEndedAnswer;
    const text = ended === 1 ? 'One session was ended.' : `${ended} sessions were ended.`;
    return this.show(visit, { kind: 'done', text });
  }

  /** @throws NotFound for one that has ended. */
  @Get(':id/end')
  async askToEnd(@Visit() visit: PageVisit, @Param('id') id: string) {
    const answer = await visit.account({ method: 'GET', path: '/sessions' });
    if (answer.refusal) throw answer.refusal;
    const { sessions } = answer.body as SessionsAnswer;
    const session = sessions.find((one) => one.id === id && !one.current);
    if (!session) throw new NotFound();
    return visit.show(endPage(visit.context, session));
  }

  @Post(':id/end')
  async end(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/sessions/${encodeURIComponent(id)}`;
    const answer = await visit.account({ method: 'DELETE', path });
    if (!isRefused(answer)) return visit.goTo('/sessions');
    return this.show(visit, faultNotice(answer), answer.status);
  }

  private async show(visit: PageVisit, notice?: Notice, status = 200) {
    const answer = await visit.account({ method: 'GET', path: '/sessions' });
    if (isRefused(answer)) {
      return visit.show(sessionsPage(visit.context, [], faultNotice(answer)), answer.status);
    }
    const { sessions } = answer.body as SessionsAnswer;
    return visit.show(sessionsPage(visit.context, sessions, notice), status);
  }
}
