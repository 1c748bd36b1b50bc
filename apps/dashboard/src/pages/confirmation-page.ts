import { type Markup, html } from '#libs/public-http';
import { type PageContext, form, page } from './layout.js';

export interface Confirmation {
  /** A question. */
  title: string;
  body: Markup;
  action: string;
  button: string;
  isDanger?: boolean;
  back: { href: string; text: string };
}

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
