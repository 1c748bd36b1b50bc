import type { BillingDetails, InvoiceAnswer, InvoiceKind, InvoiceState } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { day, money } from '../amounts.js';
import { type Field, type Notice, type PageContext, field, form, page } from '../pages/layout.js';
import { labelOf } from '../pages/field-labels.js';
import { selectField } from '../pages/select-field.js';
import { COUNTRIES } from './countries.js';

const KINDS: Readonly<Record<Exclude<InvoiceKind, 'invoice'>, string>> = {
  credit_note: 'credit note',
  debit_note: 'debit note',
};

const STATES: readonly (readonly [state: InvoiceState, words: string])[] = [
  ['paid', 'paid'],
  ['partly_returned', 'refunded in part'],
  ['returned', 'refunded'],
  ['note', 'credit and debit notes'],
];

/** The filters of the list. An empty filter matches every invoice. */
export interface InvoicesAsked {
  /** `YYYY-MM-DD`, UTC. */
  from: string;
  to: string;
  state: string;
}

/** Returns the filters and further parameters as a query, without those that are empty. */
export function invoicesQuery(asked: InvoicesAsked, more: Record<string, string> = {}): string {
  const given = Object.entries({ ...asked, ...more }).filter(([, text]) => text !== '');
  return new URLSearchParams(given).toString();
}

export interface InvoicesShown {
  invoices: InvoiceAnswer[];
  asked: InvoicesAsked;
  nextCursor?: string;
}

export function invoicesPage(
  context: PageContext,
  { invoices, asked, nextCursor }: InvoicesShown,
  notice?: Notice,
): Markup {
  const isFiltered = invoicesQuery(asked) !== '';
  return page(context, {
    title: 'Invoices',
    notice,
    body: html`<section>
      <h2>Your invoices</h2>
      ${isFiltered || invoices.length > 0 ? filterForm(asked) : undefined}
      ${
        invoices.length === 0
          ? html`<p>${isFiltered ? 'No invoice matches.' : 'No invoice yet.'}</p>`
          : html`<ul class="rows">
                ${invoices.map((invoice) => row(context, invoice))}
              </ul>
              <p class="actions">
                <a class="button plain" href="/api/invoices/archive?${invoicesQuery(asked)}"
                  >${isFiltered ? 'These PDFs as a ZIP file' : 'All PDFs as a ZIP file'}</a
                >
                ${nextCursor && html`<a href="/invoices?${invoicesQuery(asked, { cursor: nextCursor })}">Older invoices</a>`}
              </p>`
      }
      <p class="quiet">
        An invoice shows your <a href="/billing-details">billing details</a> at the time it was
        printed. After you change them, print it again: its number and amounts stay the same.
      </p>
    </section>`,
  });
}

function filterForm({ from, to, state }: InvoicesAsked): Markup {
  return html`<form method="get" action="/invoices" class="filters">
    ${field({ name: 'from', label: 'From', type: 'date', value: from, isOptional: true })}
    ${field({ name: 'to', label: 'To', type: 'date', value: to, isOptional: true })}
    ${selectField('state', { label: 'State', all: 'Any', options: STATES, chosen: state })}
    <button class="plain">Show</button>
  </form>`;
}

function row(context: PageContext, invoice: InvoiceAnswer): Markup {
  const { id, number, kind, corrects, issued_at, currency, revision, state, items } = invoice;
  const { total_micros: total, tax_micros: tax } = invoice;
  const kindWords =
    kind === 'invoice' ? undefined : html`<span>${KINDS[kind]} for ${corrects ?? ''}</span>`;
  const stateWords =
    state === 'note' ? undefined : html`<span>${new Map(STATES).get(state)}</span>`;
  const regenerate = html`<button class="plain small" aria-label="Print again: ${number}">
    Print again
  </button>`;
  return html`<li>
    <div>
      <strong>${number}</strong> ${money(total, currency)}
      <p>${items.join('; ')}</p>
      <p class="quiet">
        <span>${day(issued_at)}</span>
        ${kindWords}${stateWords}${tax === '0' ? undefined : html`<span>${money(tax, currency)} of it is tax</span>`}${revision > 1 ? html` <span>revision ${revision}</span>` : undefined}
      </p>
    </div>
    ${
      revision === 0
        ? html`<p class="quiet">being printed</p>`
        : html`<div class="actions">
            <a class="button small" href="/api/invoices/${id}/pdf" aria-label="PDF of ${number}"
              >PDF</a
            >
            ${form(context, `/invoices/${id}/regenerate`, regenerate)}
          </div>`
    }
  </li>`;
}

const FIELDS: readonly (Field & { name: keyof BillingDetails })[] = [
  { name: 'organisation', autocomplete: 'organization', isOptional: true },
  {
    name: 'tax_id',

    isOptional: true,
    hint: 'As its country writes it, for example DE123456789.',
  },
  { name: 'address_line1', autocomplete: 'address-line1' },
  {
    name: 'address_line2',

    autocomplete: 'address-line2',
    isOptional: true,
  },
  { name: 'postal_code', autocomplete: 'postal-code', isOptional: true },
  { name: 'city', autocomplete: 'address-level2' },
  { name: 'region', autocomplete: 'address-level1', isOptional: true },
  { name: 'country' },
  {
    name: 'purchase_order',

    isOptional: true,
    hint: 'Your own order number, printed on invoices.',
  },
];

export const DETAIL_NAMES: readonly (keyof BillingDetails)[] = FIELDS.map(({ name }) => name);

export function billingDetailsPage(
  context: PageContext,
  details: Partial<BillingDetails>,
  notice?: Notice,
): Markup {
  const inputs = FIELDS.map((one) =>
    one.name === 'country'
      ? selectField('country', {
          label: labelOf('country'),
          all: 'Choose one',
          options: COUNTRIES,
          chosen: details.country,
        })
      : field({ ...one, value: details[one.name] }),
  );
  return page(context, {
    title: 'Billing details',
    notice,
    body: html`<section>
      <h2>On your invoices</h2>
      <p>Invoices are printed in Latin, Greek and Cyrillic letters.</p>
      ${form(context, '/billing-details', html`${inputs}<button>Save the details</button>`)}
      <p><a href="/invoices">Invoices</a></p>
    </section>`,
  });
}
