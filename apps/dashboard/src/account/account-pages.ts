import { type Markup, html } from '#libs/public-http';
import { grouped, minuteText } from '../amounts.js';
import { currentPassword, withoutPassword } from '../auth/auth-pages.js';
import { type Notice, type PageContext, form, page } from '../pages/layout.js';

export interface AccountFacts {
  email?: string;
  first_name?: string;
}

/** What a deletion ends. Data that could not be read is undefined. */
export interface EndingFacts {
  credits?: number;
  plans?: readonly string[];
}

export function accountPage(
  context: PageContext,
  account: AccountFacts,
  { credits, plans }: EndingFacts = {},
  notice?: Notice,
): Markup {
  const fields = html`${currentPassword(context)}
    <button class="danger">Delete the account</button>`;
  return page(context, {
    title: 'Account',
    notice,
    body: html`<section>
        <h2>You</h2>
        <p>${account.first_name}<br />${account.email}</p>
        <p class="actions">
          <a class="button plain small" href="/account/email">Change the e-mail address</a>
          <a class="button plain small" href="/account/password">Change the password</a>
        </p>
        <p><a href="/security">Security: ways to log in, and where you are logged in</a></p>
      </section>
      <section>
        <h2>Your data</h2>
        <p><a href="/account/export">Download all data of this account</a></p>
      </section>
      <section>
        <h2>Delete the account</h2>
        <ul>
          <li>All keys and sessions end at once.</li>
          <li>
            Running jobs are cancelled. Monitors and webhooks pause until the account is restored.
          </li>
          <li>
            All credits are frozen, those of packages and those of
            plans${credits ? html`: <strong>${grouped(credits)}</strong>` : undefined}. They can be
            used again if you restore the account.
          </li>
          <li>
            API plans, Domainer plans and the rate-limit add-on give nothing from now on and are
            cancelled at the end of their
            period${plans?.length ? html`: <strong>${plans.join(', ')}</strong>` : undefined}. Paid
            time is neither extended nor refunded.
          </li>
          <li>
            A deleted account shows no invoices. <a href="/invoices">Download yours</a> first.
          </li>
          <li>For 90 days, you can log in and restore the account. Keys stay revoked.</li>
          <li>
            After that, credits and payments are forfeited, and your personal data is erased for
            good.
          </li>
        </ul>
        ${form(context, '/account/delete', fields)} ${withoutPassword(context, '/account')}
      </section>`,
  });
}

export function exportPage(context: PageContext, notice?: Notice): Markup {
  const fields = html`${currentPassword(context)} <button>Download</button>`;
  return page(context, {
    title: 'Your data',
    notice,
    body: html`<section>
      <p>
        You get one JSON file with all data of this account: personal data, keys, sessions, the
        audit log, orders, payments, invoices, credits, requests, jobs, monitors and webhooks. It
        contains no secrets.
        <a href="/invoices">Invoices as PDF</a> are downloaded separately.
      </p>
      ${form(context, '/account/export', fields)} ${withoutPassword(context, '/account/export')}
    </section>`,
  });
}

export function deletedPage(context: PageContext): Markup {
  return page(context, {
    title: 'The account is deleted',
    body: html`<p>
      All keys and sessions have ended. For 90 days, a <a href="/log-in">log-in</a> leads to the
      page that restores the account.
    </p>`,
  });
}

/** Returns the page on which a deleted account can be restored. */
export function restorePage(
  context: PageContext,
  restorableUntil?: string,
  notice?: Notice,
): Markup {
  const until = restorableUntil
    ? ` until ${minuteText(restorableUntil)}`
    : ' for 90 days after its deletion';
  return page(
    { ...context, isDeleted: true },
    {
      title: 'This account is deleted',
      notice,
      body: html`<section>
        <p>
          It can be restored${until}. Credits that have not expired come back, and plans whose paid
          period has not ended continue. Keys stay revoked; you can reissue each of them.
        </p>
        ${form(context, '/account/restore', html`<button>Restore the account</button>`)}
      </section>`,
    },
  );
}
