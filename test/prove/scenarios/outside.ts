import { holds } from '../environment/broken.js';
import { type InstallationScenario, type InstallationHarness } from '../scenario.js';
import { type Customer, freshName } from '../environment/customer.js';
import { eventually } from '../environment/patience.js';
import { checkRest } from '../environment/traffic.js';

/** Names whose simulated registries misbehave, which never counts as an answer to the customer's question. */
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
  'refers-endlessly',
];
/** The registry answers and refers to a registrar at an address in a private network. */
const PRIVATE_REFERRALS = ['refers-to-loopback', 'refers-to-private'];

export const outsideRows: InstallationScenario[] = [
  {
    name: 'registry misbehaves',
    fault: 'registries refuse, tarpit, send garbage or too much, refer in circles and to loopback',
    expectation: 'only real answers are charged, and no referral to a private address is followed',
    run: registryMisbehaves,
  },
  {
    name: 'smtp down',
    fault: 'the mail server refuses connections while somebody signs up',
    expectation: 'the sign-up is accepted, and its mail arrives once when the server is back',
    run: smtpDown,
  },
];

async function registryMisbehaves(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  const customer = await installation.regular(1_000);
  // This comes first, while the registry has not throttled anybody.
  for (const misbehaviour of PRIVATE_REFERRALS)
    await referToPrivate(harness, customer, misbehaviour);
  const ask = async (misbehaviour: string) => {
    const answer = await customer.lookUpOnce(`${misbehaviour}-${freshName()}`);
    const credits = Number(answer.headers['x-credits-cost'] ?? 0);
    harness.count(answer.status === 200 ? 'answered' : 'refused');
    if (answer.status === 200 || credits === 0) return;
    holds(false, `${misbehaviour} was answered ${answer.status} and cost ${credits}`);
  };
  await Promise.all(MISBEHAVIOURS.map(ask));
  harness.count('misbehaviours', MISBEHAVIOURS.length + PRIVATE_REFERRALS.length);
  await checkRest(harness);
}

/**
 * Checks that only the registry was queried. A referral that was tried is among the answer's sources even if nobody
 * answered, and queries to a simulated registrar are in the simulators' log.
 */
async function referToPrivate(
  { installation }: InstallationHarness,
  customer: Customer,
  misbehaviour: string,
): Promise<void> {
  const name = `${misbehaviour}-${freshName()}`;
  const { status, body } = await customer.lookUpOnce(name);
  holds(status === 200, `${name} was answered ${status}, although its registry answers`);
  const sources = body.provenance.sources as { role: string; server: string }[];
  const response = await fetch(
    `${installation.process('simulators').url}/exchanges?domain=${name}`,
  );
  const asked = (await response.json()) as { role: string }[];
  holds(asked.length > 0, `no registry was queried for ${name}`);
  const isFollowed = [...sources, ...asked].some(({ role }) => role !== 'registry');
  holds(!isFollowed, `the referral of ${name} was followed: ${JSON.stringify({ sources, asked })}`);
}

async function smtpDown(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
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
  harness.count('sign-ups');
  await checkRest(harness);
}
