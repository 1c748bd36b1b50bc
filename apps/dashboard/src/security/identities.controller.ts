import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import type { AskProviderAnswer, IdentitiesAnswer } from '#libs/contracts';
import { NotFound } from '#libs/platform';
import { askPassword, needsPassword } from './password-again.js';
import { providerOf, showLeaving } from '../auth/provider.controller.js';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { PageForm } from '../pages/page-form.dto.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { removeIdentityPage } from './security-page.js';

const SECURITY = '/security';

@Controller('security/identities')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class IdentityPagesController {
  @Post(':provider')
  async connect(
    @Visit() visit: PageVisit,
    @Param('provider') given: string,
    @Body() _form: PageForm,
  ) {
    const provider = providerOf(given);
    const answer = await visit.account({ method: 'POST', path: `/identities/${provider}` });
    if (needsPassword(answer)) return askPassword(visit, SECURITY);
    if (answer.refusal) throw answer.refusal;
    return showLeaving(visit, provider, answer.body as AskProviderAnswer);
  }

  @Get(':id/remove')
  async askToRemove(@Visit() visit: PageVisit, @Param('id') id: string) {
    return visit.show(removeIdentityPage(visit.context, await identityOf(visit, id)));
  }

  @Post(':id/remove')
  async remove(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/identities/${encodeURIComponent(id)}`;
    const answer = await visit.account({ method: 'DELETE', path });
    if (needsPassword(answer)) return askPassword(visit, SECURITY);
    if (answer.refusal) throw answer.refusal;
    return visit.goTo(SECURITY);
  }
}

/** @throws NotFound; account's rejection. */
async function identityOf(visit: PageVisit, id: string) {
  const answer = await visit.account({ method: 'GET', path: '/identities' });
  if (answer.refusal) throw answer.refusal;
  const identity = (answer.body as IdentitiesAnswer).identities.find((one) => one.id === id);
  if (!identity) throw new NotFound();
  return identity;
}
