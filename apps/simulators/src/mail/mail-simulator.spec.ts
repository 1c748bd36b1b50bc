import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { MailSimulator } from './mail-simulator.js';

const simulator = new MailSimulator();
let transport: ReturnType<typeof createTransport>;

beforeAll(async () => {
  transport = createTransport({ url: await simulator.start() });
});
afterAll(async () => {
  transport.close();
  await simulator.stop();
});

it('keeps an e-mail once for each recipient, and every e-mail without an id', async () => {
  const envelope = { from: 'a@x.example', to: ['b@x.example', 'c@x.example'] };
  const send = (raw: string) => transport.sendMail({ envelope, raw });
  const withId = (subject: string) => send(`Message-ID: <1@x.example>\nSubject: ${subject}\n\n`);
  await withId('first');
  await withId('again');
  for (const subject of ['one', 'two']) await send(`Subject: ${subject}\n\n`);
  const kept = simulator.newest(10).map(({ to, subject }) => `${subject} ${to[0]}`);
  expect(kept).toEqual(['two c', 'two b', 'one c', 'one b', 'again c', 'again b']);
});
