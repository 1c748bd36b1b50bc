import type { OrderAnswer, PaymentDetailsAnswer, SubscriptionAnswer } from '#libs/contracts';
import { NotLoggedIn } from '#libs/platform';
import type { DashboardCalls } from './dashboard-calls.js';
import type { Form, Page } from './page.js';
import { type PageVisit, faultNotice, isRefused } from './page-visit.js';
import { creditsPage, leavePage, orderPage } from './pages/credits.js';
import type { Notice } from './pages/layout.js';

/** Where a package is bought, and what was bought is seen and cancelled. */
export function creditsPages(calls: DashboardCalls): Page[] {
  const step = (path: 'cancel' | 'undo') => ({
    method: 'POST' as const,
    path: `/subscriptions/:id/${path}`,
    answer: (visit: PageVisit, _form: Form, id: string) => changePlan(calls, visit, id, path),
  });
  const show = (visit: PageVisit) => showCredits(calls, visit);
  const pages: Page[] = [
    { method: 'GET', path: '/credits', answer: show },
    // Both are addresses that processors' pages lead back to.
    { method: 'GET', path: '/billing/subscriptions', answer: show },
    {
      method: 'GET',
      path: '/billing/return',
      answer: (visit, { order }) => comeBack(calls, visit, order),
    },
    { method: 'POST', path: '/credits', answer: (visit, form) => buy(calls, visit, form) },
    {
      method: 'GET',
      path: '/credits/orders/:id',
      answer: (visit, _form, id) => showOrder(calls, visit, id),
    },
    step('cancel'),
    step('undo'),
    {
      method: 'POST',
      path: '/subscriptions/:id/payment-details',
      answer: (visit, _form, id) => changeCard(calls, visit, id),
    },
  ];
  return pages.map((one) => ({ ...one, answer: forMembers(one.answer) }));
}

/** Whoever has no session is led to one. */
function forMembers(answer: Page['answer']): Page['answer'] {
  return async (visit, form, id) => {
    try {
      return await answer(visit, form, id);
    } catch (error) {
      if (error instanceof NotLoggedIn) return visit.goTo('/log-in');
      throw error;
    }
  };
}

async function showCredits(calls: DashboardCalls, visit: PageVisit, notice?: Notice, status = 200) {
  const { visitor } = visit;
  const ask = (path: string) => calls.billing({ method: 'GET', path, visitor });
  const [balance, subscriptions, orders] = await Promise.allSettled([
    calls.balance(visitor),
    ask('/subscriptions'),
    ask('/orders'),
  ]);
  if (balance.status === 'rejected' && balance.reason instanceof NotLoggedIn) {
    throw balance.reason;
  }
  const bodyOf = <T>(settled: typeof orders) =>
    settled.status === 'fulfilled' && !isRefused(settled.value)
      ? (settled.value.body as T)
      : undefined;
  const facts = {
    spendable: balance.status === 'fulfilled' ? balance.value.spendable : undefined,
    subscriptions: bodyOf<{ subscriptions: SubscriptionAnswer[] }>(subscriptions)?.subscriptions,
    orders: bodyOf<{ orders: OrderAnswer[] }>(orders)?.orders,
  };
  const isAway = facts.orders === undefined;
  const said = notice ?? (isAway ? AWAY : undefined);
  return visit.show(creditsPage(visit.context, facts, said), status);
}

const AWAY = { kind: 'fault', text: 'Nothing can be bought right now. Try again later.' } as const;

async function buy(calls: DashboardCalls, visit: PageVisit, form: Form) {
  const { visitor } = visit;
  const body = { product: 'package', credits: Number(form.credits), processor: 'stripe' };
  const idempotencyKey = form.idempotency_key;
  const call = { method: 'POST', path: '/orders', visitor, body, idempotencyKey } as const;
  const answer = await calls.billing(call);
  if (isRefused(answer)) return showCredits(calls, visit, faultNotice(answer), answer.status);
  return visit.goTo(`/credits/orders/${(answer.body as OrderAnswer).id}`);
}

/** Nothing of the address is believed but which order is asked about; billing asks the processor (S48). */
async function comeBack(calls: DashboardCalls, visit: PageVisit, order = '') {
  const { visitor } = visit;
  const path = `/orders/${encodeURIComponent(order)}/return`;
  const answer = await calls.billing({ method: 'POST', path, visitor, body: {} });
  if (isRefused(answer)) return showCredits(calls, visit, faultNotice(answer), answer.status);
  const { state } = answer.body as OrderAnswer;
  if (state !== 'paid') return visit.show(orderPage(visit.context, answer.body as OrderAnswer));
  return showCredits(calls, visit, PAID);
}

const PAID = { kind: 'done', text: 'Paid. The credits arrive within moments.' } as const;

async function showOrder(calls: DashboardCalls, visit: PageVisit, id: string) {
  const path = `/orders/${encodeURIComponent(id)}`;
  const answer = await calls.billing({ method: 'GET', path, visitor: visit.visitor });
  if (isRefused(answer)) return showCredits(calls, visit, faultNotice(answer), answer.status);
  return visit.show(orderPage(visit.context, answer.body as OrderAnswer));
}

async function changePlan(
  calls: DashboardCalls,
  visit: PageVisit,
  id: string,
  step: 'cancel' | 'undo',
) {
  const path = `/subscriptions/${encodeURIComponent(id)}/${step}`;
  const answer = await calls.billing({ method: 'POST', path, visitor: visit.visitor, body: {} });
  if (isRefused(answer)) return showCredits(calls, visit, faultNotice(answer), answer.status);
  return visit.goTo('/credits');
}

async function changeCard(calls: DashboardCalls, visit: PageVisit, id: string) {
  const path = `/subscriptions/${encodeURIComponent(id)}/payment-details`;
  const answer = await calls.billing({ method: 'POST', path, visitor: visit.visitor, body: {} });
  if (isRefused(answer)) return showCredits(calls, visit, faultNotice(answer), answer.status);
  return visit.show(leavePage(visit.context, (answer.body as PaymentDetailsAnswer).redirect_url));
}
