import { Body, Controller, Get, Post } from '@nestjs/common';
import type { RecoveryCodesAnswer, SecondFactorSecretAnswer } from '#libs/contracts';
import { askPassword, needsPassword } from './password-again.js';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import {
  codeAgainPage,
  newCodesPage,
  recoveryCodesPage,
  removeAppPage,
  setUpPage,
} from './app-pages.js';
import { CodeForm } from './security.dto.js';

const ON =
  'The authenticator app is set up. From now on, log-ins without a passkey ask for its code.';
const REPLACED = 'The earlier recovery codes no longer work.';
const SECURITY = '/security';

@Controller('security/app')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class AppPagesController {
  @Post()
  async begin(@Visit() visit: PageVisit, @Body() _form: PageForm) {
    const answer = await visit.account({ method: 'POST', path: '/second-factor' });
    if (needsPassword(answer)) return askPassword(visit, SECURITY);
    if (answer.refusal) throw answer.refusal;
    return visit.show(setUpPage(visit.context, answer.body as SecondFactorSecretAnswer));
  }

  @Post('confirm')
  async confirm(@Visit() visit: PageVisit, @Body() { code }: CodeForm) {
    const path = '/second-factor/confirm';
    const answer = await visit.account({ method: 'POST', path, body: { code } });
    if (needsPassword(answer)) return askPassword(visit, SECURITY);
    if (isRefused(answer)) {
      return visit.show(codeAgainPage(visit.context, faultNotice(answer)), answer.status);
    }
    const { recovery_codes: codes } = answer.body as RecoveryCodesAnswer;
    return visit.show(recoveryCodesPage(visit.context, codes, ON));
  }

  @Get('recovery-codes')
  askForNewCodes(@Visit() visit: PageVisit) {
    return visit.show(newCodesPage(visit.context));
  }

  @Post('recovery-codes')
  async newCodes(@Visit() visit: PageVisit, @Body() { code }: CodeForm) {
    const path = '/second-factor/recovery-codes';
    const answer = await visit.account({ method: 'POST', path, body: { code } });
    if (needsPassword(answer)) return askPassword(visit, '/security/app/recovery-codes');
    if (isRefused(answer)) {
      return visit.show(newCodesPage(visit.context, faultNotice(answer)), answer.status);
    }
    const { recovery_codes: codes } = answer.body as RecoveryCodesAnswer;
    return visit.show(recoveryCodesPage(visit.context, codes, REPLACED));
  }

  @Get('remove')
  askToRemove(@Visit() visit: PageVisit) {
    return visit.show(removeAppPage(visit.context));
  }

  @Post('remove')
  async remove(@Visit() visit: PageVisit, @Body() { code }: CodeForm) {
    const path = '/second-factor/remove';
    const answer = await visit.account({ method: 'POST', path, body: { code } });
    if (!isRefused(answer)) return visit.goTo(SECURITY);
    if (needsPassword(answer)) return askPassword(visit, '/security/app/remove');
    return visit.show(removeAppPage(visit.context, faultNotice(answer)), answer.status);
  }
}
