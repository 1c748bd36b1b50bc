import { type Markup, html } from '#libs/public-http';

/** Returns a list of links, one of which leads to the current page. */
export function choice(
  label: string,
  options: readonly { text: string; href: string; isCurrent: boolean }[],
): Markup {
  return html`<nav class="choice" aria-label="${label}">
    <span class="quiet" aria-hidden="true">${label}</span>
    ${options.map(({ text, href, isCurrent }) =>
      isCurrent
        ? html`<a href="${href}" aria-current="page">${text}</a>`
        : html`<a href="${href}">${text}</a>`,
    )}
  </nav>`;
}
