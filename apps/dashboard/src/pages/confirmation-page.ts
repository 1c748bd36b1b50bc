import { type Markup, html } from '#libs/public-http';
import { type PageContext, form, page } from './layout.js';

/** An irreversible step, as presented for confirmation. */
export interface Confirmation {
  /** A question. */
  title: string;
  /** The effect of the action, and its time. */
  body: Markup;
  /** Action of the form. */
  action: string;
  /** The label of its button. */
  button: string;
  /** Whether the customer loses something by the step. */
  isDanger?: boolean;
  /** The link back, which changes nothing. */
  back: { href: string; text: string };
}

/** Asks for confirmation between a link and an irreversible step. */
export function confirmationPage(context: PageContext, asked: Confirmation): Markup {
  const { title, body, action, button, isDanger, back } = asked;
  const submit = isDanger
    ? html`<button class="danger">${button}</button>`
    : html`<button>${button}</button>`;
  const fields = html`${body}
    <p class="actions">${submit}<a class="button plain" href="${back.href}">${back.text}</a></p>`;
  return page(context, {
    title,
    body: html`<section>${form(context, action, fields)}</section>`,
  });
}
