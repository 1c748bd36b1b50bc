import { expect } from '@jest/globals';
import type { Visitor } from './visitor.js';

interface Credentials {
  email: string;
  password: string;
}

/** A customer who is logged in gets another password and another address; `other` is their second browser. */
export async function changeCredentials(story: {
  visitor: Visitor;
  other: Visitor;
  known: Credentials;
  next: Credentials;
}): Promise<void> {
  const { visitor, other, known, next } = story;
  await other.open('/log-in');
  await other.submit('Log in', { 'E-mail': known.email, Password: known.password });
  await visitor.open('/account');
  await visitor.follow('Change the password');
  await visitor.examine();
  const wrong = { 'Current password': 'not this one', 'New password': next.password };
  expect(await visitor.submit('Change the password', wrong)).toBe(401);
  const right = { 'Current password': known.password, 'New password': next.password };
  expect(await visitor.submit('Change the password', right)).toBe(303);
  expect(await visitor.page.getByRole('status').innerText()).toContain('The new password is set');
  await other.open('/keys');
  expect(await other.title()).toBe('Log in');
  const again = { 'E-mail': known.email, Password: next.password };
  expect(await other.submit('Log in', again)).toBe(303);
  expect(await other.title()).toBe('API keys');
  await other.leave();
  await visitor.follow('Change the e-mail address');
  await visitor.examine();
  const address = { 'New e-mail address': next.email, Password: next.password };
  expect(await visitor.submit('Send the link', address)).toBe(200);
  await visitor.followMail(next.email, 'Confirm your new e-mail address');
  await visitor.examine();
  expect(await visitor.submit('Confirm the address')).toBe(200);
  await visitor.follow('Go to the account');
  expect(await visitor.words()).toContain(next.email);
}
