import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { TestClock } from '#test/environment';
import type { ReceivedMail } from '../../../simulators/src/mail/received-mail.js';
import { SmtpSink } from '../../../simulators/src/mail/smtp-sink.js';
import { DEMO_EMAIL } from '../demo/demo-account.js';
import { soloMail } from './solo-mail.js';

describe('e-mails on one machine', () => {
  const mailFrom = 'Example Holdings <service@example.com>';
  const received: ReceivedMail[] = [];
  const server = new SmtpSink((mail) => received.push(mail));
  let smtpUrl: string;

  const mailTo = (to: string) => ({
    id: newId(),
    to,
    subject: 'Confirm',
    text: 'A link.',
    html: '<p>A link.</p>',
  });

  beforeAll(async () => {
    smtpUrl = `smtp://127.0.0.1:${await server.listen(0)}`;
  });
  afterAll(() => server.close());

  it('without a mail server, every e-mail is kept for the mailbox page', async () => {
    const { transport, mailbox, isSent } = soloMail({ mailFrom }, new TestClock());
    await transport.send(mailTo('customer@example.org'));
    expect(isSent).toBe(false);
    expect(await mailbox.newest(9)).toMatchObject([{ to: 'customer@example.org' }]);
  });

  it('with a mail server, e-mails are sent and not kept, except e-mails to the demo account', async () => {
    const { transport, mailbox, isSent } = soloMail({ smtpUrl, mailFrom }, new TestClock());
    await transport.send(mailTo('customer@example.org'));
    await transport.send(mailTo(DEMO_EMAIL));
    await transport.close();
    expect(isSent).toBe(true);
    expect(received).toMatchObject([{ to: 'customer@example.org' }]);
    expect(await mailbox.newest(9)).toMatchObject([{ to: DEMO_EMAIL }]);
  });
});
