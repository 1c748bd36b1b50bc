import { ReauthenticationRequired } from '#libs/platform';
import type { PageVisit } from '../pages/page-visit.js';
import type { ProxiedAnswer } from '../service-calls/service-proxy.js';
import { passwordAgainPage } from '../auth/auth-pages.js';

/** Whether a change was rejected because the visitor last logged in or entered the password too long ago (S35). */
export const needsPassword = ({ refusal }: ProxiedAnswer) =>
  refusal?.code === 'reauthentication_required';

/** Returns the page that asks for the password and then leads to `to`. */
export const askPassword = (visit: PageVisit, to: string) =>
  visit.show(passwordAgainPage(visit.context, to), new ReauthenticationRequired().status);
