import type { FastifyInstance } from 'fastify';
import type { ProxiedAnswer } from './proxy/service-proxy.js';
import { creditsPages } from './credits-routes.js';
import type { DashboardCalls } from './dashboard-calls.js';
import { entrancePages } from './entrance-routes.js';
import type { Form, Page } from './page.js';
import { PageVisit, faultNotice, isRefused } from './page-visit.js';
import { type AccountFacts, accountPage, deletedPage, restorePage } from './pages/account.js';
import { passwordAgainPage, welcomePage } from './pages/entrance.js';
import { type KeyShown, type ListedKey, isPaused, keysPage } from './pages/keys.js';
import type { Notice } from './pages/layout.js';
import { overviewPage } from './pages/overview.js';
import { PAGE_SCRIPT } from './pages/page-script.js';
import { STYLESHEET } from './pages/stylesheet.js';

export interface PageOptions {
  apiUrl: string;
  hasMailbox: boolean;
}

/** The plain pages: server-rendered, every form works without a script. */
export function pageRoutes(
  server: FastifyInstance,
  calls: DashboardCalls,
  { apiUrl, hasMailbox }: PageOptions,
): void {
  const all = [...entrancePages(apiUrl), ...memberPages(calls, apiUrl), ...creditsPages(calls)];
  for (const { method, path, answer } of all) {
    server.route<{ Body: Form; Querystring: Form; Params: { id?: string } }>({
      method,
      url: path,
      handler: (request, reply) =>
        answer(
          new PageVisit(request, reply, calls, hasMailbox),
          (method === 'GET' ? request.query : request.body) ?? {},
          request.params.id ?? '',
        ),
    });
  }
  const asset = (path: string, type: string, text: string) =>
    server.get(path, async (_request, reply) => reply.type(type).send(text));
  asset('/assets/dashboard.css', 'text/css; charset=utf-8', STYLESHEET);
  asset('/assets/dashboard.js', 'text/javascript; charset=utf-8', PAGE_SCRIPT);
}

function memberPages(calls: DashboardCalls, apiUrl: string): Page[] {
  return [
    { method: 'GET', path: '/', answer: (visit) => overview(visit, calls, apiUrl) },
    { method: 'GET', path: '/keys', answer: (visit) => showKeys(visit) },
    { method: 'POST', path: '/keys', answer: (visit, form) => createKey(visit, form, apiUrl) },
    {
      method: 'POST',
      path: '/keys/:id/rotate',
      answer: (visit, form, id) => rotateKey(visit, form, id, apiUrl),
    },
    {
      method: 'POST',
      path: '/keys/:id/revoke',
      answer: (visit, _form, id) => revokeKey(visit, id),
    },
    { method: 'POST', path: '/reauthenticate', answer: reauthenticate },
    { method: 'GET', path: '/account', answer: (visit) => showAccount(visit) },
    { method: 'POST', path: '/account/delete', answer: deleteAccount },
    { method: 'POST', path: '/account/restore', answer: restoreAccount },
  ];
}

async function overview(visit: PageVisit, calls: DashboardCalls, apiUrl: string) {
  const session = await calls.session(visit.visitor);
  if (!session) return visit.show(welcomePage({ ...visit.context, isLoggedIn: false }, apiUrl));
  if (session.accountState !== 'active') return visit.show(restorePage(visit.context));
  // The page is worth showing without the figures while entitlement is away.
  const [balance, ledger] = await Promise.allSettled([
    calls.balance(visit.visitor),
    calls.ledger(visit.visitor),
  ]);
  const facts = {
    apiUrl,
    balance: balance.status === 'fulfilled' ? balance.value : undefined,
    ledger: ledger.status === 'fulfilled' ? ledger.value.items : undefined,
  };
  return visit.show(overviewPage(visit.context, facts));
}

async function showKeys(visit: PageVisit, shown?: KeyShown, notice?: Notice, status = 200) {
  const answer = await visit.ask('GET', '/keys');
  if (answer.status === 401) return visit.goTo('/log-in');
  if (isRefused(answer))
    return visit.show(keysPage(visit.context, { keys: [] }, faultNotice(answer)), answer.status);
  const { keys } = answer.body as { keys: ListedKey[] };
  const allowed = await visit.keysAllowed();
  const said = notice ?? (shown && isPaused(shown, allowed) ? PAUSED : undefined);
  return visit.show(keysPage(visit.context, { keys, shown, allowed }, said), status);
}

const PAUSED = {
  kind: 'fault',
  text: 'Your plan allows fewer keys than you have, so this key is paused. The oldest keys stay active.',
} as const;

async function createKey(visit: PageVisit, form: Form, apiUrl: string) {
  const { name, environment, idempotency_key } = form;
  const answer = await visit.ask('POST', '/keys', { name, environment }, idempotency_key);
  return afterKeyChange(visit, answer, apiUrl);
}

async function rotateKey(visit: PageVisit, form: Form, id: string, apiUrl: string) {
  const path = `/keys/${encodeURIComponent(id)}/rotate`;
  const answer = await visit.ask('POST', path, { overlap: '24h' }, form.idempotency_key);
  return afterKeyChange(visit, answer, apiUrl);
}

async function revokeKey(visit: PageVisit, id: string) {
  const answer = await visit.ask('DELETE', `/keys/${encodeURIComponent(id)}`);
  return isRefused(answer)
    ? showKeys(visit, undefined, faultNotice(answer), answer.status)
    : visit.goTo('/keys');
}

async function afterKeyChange(visit: PageVisit, answer: ProxiedAnswer, apiUrl: string) {
  if (answer.refusal?.code === 'reauthentication_required') {
    return visit.show(passwordAgainPage(visit.context), answer.status);
  }
  if (isRefused(answer)) return showKeys(visit, undefined, faultNotice(answer), answer.status);
  const { key, rank } = answer.body as { key?: string; rank: number | null };
  return showKeys(visit, key === undefined ? undefined : { key, rank, apiUrl });
}

/** Changes of keys need a password of the last ten minutes; afterwards the keys are there again. */
async function reauthenticate(visit: PageVisit, { password }: Form) {
  const answer = await visit.ask('POST', '/session/reauthenticate', { password });
  if (!isRefused(answer)) return visit.goTo('/keys');
  return visit.show(passwordAgainPage(visit.context, faultNotice(answer)), answer.status);
}

async function showAccount(visit: PageVisit, notice?: Notice, status = 200) {
  const answer = await visit.ask('GET', '/account');
  if (answer.status === 401) return visit.goTo('/log-in');
  if (isRefused(answer))
    return visit.show(accountPage(visit.context, {}, faultNotice(answer)), answer.status);
  return visit.show(accountPage(visit.context, answer.body as AccountFacts, notice), status);
}

async function deleteAccount(visit: PageVisit, { password }: Form) {
  const answer = await visit.ask('POST', '/account/delete', { password });
  return isRefused(answer)
    ? showAccount(visit, faultNotice(answer), answer.status)
    : visit.show(deletedPage(visit.context));
}

async function restoreAccount(visit: PageVisit) {
  const answer = await visit.ask('POST', '/account/restore', {});
  if (!isRefused(answer)) return visit.goTo('/');
  return visit.show(restorePage(visit.context, undefined, faultNotice(answer)), answer.status);
}
