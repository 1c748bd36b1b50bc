import { expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import type { MailTransport } from '../mail-transport.js';
import { UnsafeMail } from '../mail.js';

export interface TransportUnderTest {
  transport: MailTransport;
  /** Lists the recipient, subject and plain text of each accepted e-mail, oldest first. */
  arrived(): Promise<{ to: string; subject: string; text: string }[]>;
}

export function mailTransportContract(current: () => TransportUnderTest): void {
  const mail = {
    to: 'someone@example.com',
    subject: 'Grüße',
    text: 'Line one\n\n.\nLine two',
    html: '<p>Line</p>',
  };

  it('an accepted e-mail arrives once, with its recipient, subject and text', async () => {
    const { transport, arrived } = current();
    await transport.send({ ...mail, id: newId() });
    expect(await arrived()).toEqual([{ to: mail.to, subject: mail.subject, text: mail.text }]);
  });

  it.each([
    ['a line break in the subject', { subject: 'Hello\r\nBcc: other@example.com' }],
    ['a lone line feed in the subject', { subject: 'Hello\nBcc: other@example.com' }],
    ['a line break in the recipient', { to: 'someone@example.com\r\nBcc: other@example.com' }],
    ['two recipients', { to: 'someone@example.com, other@example.com' }],
    ['a display name', { to: 'Someone <someone@example.com>' }],
    ['a quoted local part', { to: '"a b"@example.com' }],
    ['no subject', { subject: '' }],
  ])('S82: %s is refused, and no e-mail is sent', async (_, change) => {
    const { transport, arrived } = current();
    const sending = transport.send({ ...mail, ...change, id: newId() });
    await expect(sending).rejects.toBeInstanceOf(UnsafeMail);
    expect(await arrived()).toEqual([]);
  });
}
