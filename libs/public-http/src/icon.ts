/** The icon of all our pages: a domain name's dot and the label before it. */
export const ICON = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5cad"/><path d="M7 21h11" stroke="#fff" stroke-width="4" stroke-linecap="round"/><circle cx="24.5" cy="21" r="2.5" fill="#fff"/></svg>`,
);
export const ICON_TYPE = 'image/svg+xml';
