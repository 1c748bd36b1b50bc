import { type InstallationRow, type Stage, holds } from '../row.js';
import { freshName } from '../world/customer.js';
import { eventually } from '../world/patience.js';
import { checkRest } from '../world/traffic.js';

/** By name the simulated registries misbehave; none of it is an answer to the customer's question. */
const MISBEHAVIOURS = [
  'refused',
  'reset',
  'silent',
  'drip',
  'garbage',
  'empty',
  'huge',
  'html',
  'throttled',
  'unavailable',
  'redirect-loop',
  'redirect-to-private',
  'refers-to-itself',
  'refers-to-loopback',
  'refers-endlessly',
];
/** The registry itself answers here; only the further way misbehaves. */
const ANSWERED = /^refers-/;

export const outsideRows: InstallationRow[] = [
  {
    name: 'registry misbehaves',
    fault: 'registries refuse, tarpit, send garbage or too much, refer in circles and to loopback',
    expectation: 'what is no answer is not charged; no referral to a private address is followed',
    isWaiting: true,
    run: registryMisbehaves,
  },
  {
    name: 'smtp down',
    fault: 'the mail server refuses connections while somebody signs up',
    expectation: 'the sign-up is taken; its mail comes once when the server is back',
    isWaiting: true,
    run: smtpDown,
  },
];

async function registryMisbehaves(stage: Stage): Promise<void> {
  const { installation } = stage;
  const customer = await installation.regular(1_000);
  const ask = async (misbehaviour: string) => {
    const answer = await customer.lookUpOnce(`${misbehaviour}-${freshName()}`);
    const credits = Number(answer.headers['x-credits-cost'] ?? 0);
    stage.count(answer.status === 200 ? 'answered' : 'refused');
    if (answer.status === 200 || credits === 0) return;
    holds(false, `${misbehaviour} was answered ${answer.status} and cost ${credits}`);
  };
  await Promise.all(MISBEHAVIOURS.map(ask));
  const plain = MISBEHAVIOURS.filter((name) => !ANSWERED.test(name));
  stage.count('misbehaviours', MISBEHAVIOURS.length);
  holds(plain.length > 0, 'nothing misbehaved');
  await checkRest(stage);
}

async function smtpDown(stage: Stage): Promise<void> {
  const { installation } = stage;
  const { smtp } = installation.cables;
  await smtp.refuse();
  const customer = installation.newCustomer();
  const joining = customer.join();
  joining.catch(() => {});
  try {
    await eventually('a mail that could not be sent', async () => {
      const [{ waiting }] = await installation.sql<{ waiting: number }>(
        'select count(*)::int as waiting from account.mail where attempts > 0',
      );
      return waiting > 0;
    });
  } finally {
    await smtp.heal();
  }
  await joining;
  await customer.lookUp();
  stage.count('sign-ups');
  await checkRest(stage);
}
