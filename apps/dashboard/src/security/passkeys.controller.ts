import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import type { ListedPasskey, PasskeyOptionsAnswer, PasskeysAnswer } from '#libs/contracts';
import { NotFound } from '#libs/platform';
import { askPassword, needsPassword } from './password-again.js';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { PageForm } from '../pages/page-form.dto.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { browserName } from './browser-name.js';
import {
  newPasskeyPage,
  passkeyRefusedPage,
  removePasskeyPage,
  renamePasskeyPage,
} from './passkey-pages.js';
import { PasskeyForm, PasskeyNameForm } from './security.dto.js';

const SECURITY = '/security';

@Controller('security/passkeys')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class PasskeyPagesController {
  @Post('new')
  async begin(@Visit() visit: PageVisit, @Body() _form: PageForm) {
    const answer = await visit.account({ method: 'POST', path: '/passkeys/options', body: {} });
    if (needsPassword(answer)) return askPassword(visit, SECURITY);
    if (isRefused(answer)) {
      return visit.show(passkeyRefusedPage(visit.context, faultNotice(answer)), answer.status);
    }
    const { options } = answer.body as PasskeyOptionsAnswer;
    const name = browserName(visit.visitor.userAgent ?? '');
    return visit.show(newPasskeyPage(visit.context, options, name));
  }

  @Post()
  async add(@Visit() visit: PageVisit, @Body() { name, credential }: PasskeyForm) {
    const body = { name, credential };
    const answer = await visit.account({ method: 'POST', path: '/passkeys', body });
    if (needsPassword(answer)) return askPassword(visit, SECURITY);
    if (!isRefused(answer)) return visit.goTo(SECURITY);
    return visit.show(passkeyRefusedPage(visit.context, faultNotice(answer)), answer.status);
  }

  @Get(':id/rename')
  async askToRename(@Visit() visit: PageVisit, @Param('id') id: string) {
    return visit.show(renamePasskeyPage(visit.context, await passkeyOf(visit, id)));
  }

  @Post(':id/rename')
  async rename(
    @Visit() visit: PageVisit,
    @Body() { name = '' }: PasskeyNameForm,
    @Param('id') id: string,
  ) {
    const path = `/passkeys/${encodeURIComponent(id)}`;
    const answer = await visit.account({ method: 'PATCH', path, body: { name } });
    if (needsPassword(answer)) return askPassword(visit, SECURITY);
    if (!isRefused(answer)) return visit.goTo(SECURITY);
    const passkey = { ...(await passkeyOf(visit, id)), name };
    const page = renamePasskeyPage(visit.context, passkey, faultNotice(answer));
    return visit.show(page, answer.status);
  }

  @Get(':id/remove')
  async askToRemove(@Visit() visit: PageVisit, @Param('id') id: string) {
    return visit.show(removePasskeyPage(visit.context, await passkeyOf(visit, id)));
  }

  @Post(':id/remove')
  async remove(@Visit() visit: PageVisit, @Body() _form: PageForm, @Param('id') id: string) {
    const path = `/passkeys/${encodeURIComponent(id)}`;
    const answer = await visit.account({ method: 'DELETE', path });
    if (needsPassword(answer)) return askPassword(visit, SECURITY);
    if (answer.refusal) throw answer.refusal;
    return visit.goTo(SECURITY);
  }
}

/** @throws NotFound; account's rejection. */
async function passkeyOf(visit: PageVisit, id: string): Promise<ListedPasskey> {
  const answer = await visit.account({ method: 'GET', path: '/passkeys' });
  if (answer.refusal) throw answer.refusal;
  const passkey = (answer.body as PasskeysAnswer).passkeys.find((one) => one.id === id);
  if (!passkey) throw new NotFound();
  return passkey;
}
