import { expect, it } from '@jest/globals';
import { html } from '#libs/public-http';
import { page } from './layout.js';

it('the first link of every page leads past the navigation', () => {
  const context = { csrfToken: 'c', isLoggedIn: true, hasMailbox: false };
  const { text } = page(context, { title: 'Any', body: html`` });
  const [, target] = /<body>\s*<a class="skip" href="#(\w+)">/.exec(text)!;
  expect(text).toContain(`<main id="${target}">`);
});

it('every page of an installation with simulated data says so', () => {
  const shown = (isDataSimulated: boolean) => {
    const context = { csrfToken: 'c', isLoggedIn: false, hasMailbox: false, isDataSimulated };
    return page(context, { title: 'Any', body: html`` }).text;
  };
  expect(shown(true)).toContain('Simulated data: this installation queries a registry simulator');
  expect(shown(false)).not.toContain('Simulated data');
});
