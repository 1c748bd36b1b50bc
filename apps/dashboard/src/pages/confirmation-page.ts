import { type Markup, html } from '#libs/public-http';
import { type PageContext, form, page } from './layout.js';

/** A step that cannot be taken back, as it is put to its owner first. */
export interface Confirmation {
  /** A question. */
  title: string;
  /** The coming event and its time. */
  body: Markup;
  /** Address of the form. */
  action: string;
  /** The label of its button. */
  button: string;
  /** Whether the step loses something. */
  isDanger?: boolean;
  /** The way back, where nothing changes. */
  back: { href: string; text: string };
}

/** Stands between a link and a step that cannot be taken back. */
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
