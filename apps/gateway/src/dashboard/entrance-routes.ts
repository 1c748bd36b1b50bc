import { type PageVisit, faultNotice, isRefused } from './page-visit.js';
import {
  checkMailPage,
  confirmPage,
  forgotPage,
  logInPage,
  resetPage,
  signUpPage,
} from './pages/entrance.js';
import { firstKeysPage } from './pages/keys.js';
import type { Form, Page } from './page.js';

const RESET_SENT =
  'If an account has this address, a link to set a new password is on its way. It works for 30 minutes, once.';
const SIGN_UP_SENT = 'A link to confirm your address is on its way. It works for 24 hours, once.';

/** Pages for people without a session: sign-up, confirmation, log-in, password. */
export function entrancePages(apiUrl: string): Page[] {
  return [
    {
      method: 'GET',
      path: '/sign-up',
      answer: async (visit) => visit.show(signUpPage(visit.context)),
    },
    { method: 'POST', path: '/sign-up', answer: signUp },
    {
      method: 'GET',
      path: '/sign-up/confirm',
      answer: async (visit, { token }) => visit.show(confirmPage(visit.context, token ?? '')),
    },
    {
      method: 'POST',
      path: '/sign-up/confirm',
      answer: (visit, form) => confirm(visit, form, apiUrl),
    },
    {
      method: 'GET',
      path: '/log-in',
      answer: async (visit) => visit.show(logInPage(visit.context)),
    },
    { method: 'POST', path: '/log-in', answer: logIn },
    { method: 'POST', path: '/log-out', answer: logOut },
    {
      method: 'GET',
      path: '/password/forgot',
      answer: async (visit) => visit.show(forgotPage(visit.context)),
    },
    { method: 'POST', path: '/password/forgot', answer: forgotPassword },
    {
      method: 'GET',
      path: '/password/reset',
      answer: async (visit, { token }) => visit.show(resetPage(visit.context, token ?? '')),
    },
    { method: 'POST', path: '/password/reset', answer: resetPassword },
  ];
}

async function signUp(visit: PageVisit, { first_name, email, password }: Form) {
  const answer = await visit.ask('POST', '/sign-up', { first_name, email, password });
  if (isRefused(answer)) {
    const page = signUpPage(visit.context, { first_name, email }, faultNotice(answer));
    return visit.show(page, answer.status);
  }
  return visit.show(checkMailPage(visit.context, SIGN_UP_SENT));
}

async function confirm(visit: PageVisit, { token }: Form, apiUrl: string) {
  const answer = await visit.ask('POST', '/sign-up/confirm', { token });
  if (isRefused(answer)) {
    return visit.show(confirmPage(visit.context, token ?? '', faultNotice(answer)), answer.status);
  }
  const { key, test_key } = answer.body as { key: string; test_key: string };
  return visit.show(firstKeysPage(visit.context, [test_key, key], apiUrl));
}

async function logIn(visit: PageVisit, { email, password }: Form) {
  const answer = await visit.ask('POST', '/log-in', { email, password });
  if (!isRefused(answer)) return visit.goTo('/');
  return visit.show(logInPage(visit.context, { email }, faultNotice(answer)), answer.status);
}

async function logOut(visit: PageVisit) {
  await visit.ask('POST', '/log-out', {});
  return visit.goTo('/');
}

async function forgotPassword(visit: PageVisit, { email }: Form) {
  const answer = await visit.ask('POST', '/password/forgot', { email });
  if (isRefused(answer))
    return visit.show(forgotPage(visit.context, faultNotice(answer)), answer.status);
  return visit.show(checkMailPage(visit.context, RESET_SENT));
}

async function resetPassword(visit: PageVisit, { token, password }: Form) {
  const answer = await visit.ask('POST', '/password/reset', { token, password });
  if (isRefused(answer)) {
    return visit.show(resetPage(visit.context, token ?? '', faultNotice(answer)), answer.status);
  }
  const notice = { kind: 'done', text: 'The new password is set. Log in with it.' } as const;
  return visit.show(logInPage(visit.context, {}, notice));
}
