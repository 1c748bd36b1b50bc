import { commandFor } from '../checks/before-build.js';
import type { DemoFacts, SoloFacts } from './solo-facts.js';

export const PAYMENTS = {
  simulated: 'simulated: buy credits or a plan in the dashboard; no money moves',
  real: 'real: the processors that you configured charge customers',
  none: 'none: set STRIPE_API_KEY or BILLING_PAYPAL_CLIENT_ID to sell credits',
} as const;

export const SIMULATED_DATA: [string, string] = [
  'Data',
  'SIMULATED: all answers are invented; none describes a real domain',
];

/**
 * Returns the text that is printed after a start: all addresses and, with a demo account, a command to paste that works
 * offline.
 */
export function announcement(facts: SoloFacts, seconds: number): string {
  const command = (one: string) => commandFor(facts.data_folder, one);
  const rows: [string, string][] = [
    ['API', facts.api_url],
    ['Dashboard', facts.dashboard_url],
    wayIn(facts),
    ['Mailbox', facts.mailbox_url ?? 'none: e-mails are sent through the server in SMTP_URL'],
    ...keyRows(facts),
    ...(facts.mode === 'offline' ? [SIMULATED_DATA] : []),
    ['Payments', PAYMENTS[facts.payments]],
    ['Metrics', facts.metrics_url],
    ['Docs', `${facts.api_url}/docs   README.md, docs/README.md`],
    ['Details', `${facts.data_folder}/solo.json   log: ${facts.log_file}`],
    ['Stop', `Ctrl-C or ${command('npm stop')}`],
    ['Start over', `${command('npm run reset')}      trouble: ${command('npm run doctor')}`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const body = rows.map(([name, text]) => `  ${name.padEnd(width)}   ${text}`);
  const rule = '─'.repeat(Math.max(...body.map((line) => line.length)) + 2);
  const title = `  Domain Data Service is running (${seconds.toFixed(1)} s).`;
  const example = facts.demo ? [`  ${curlLine(facts.api_url, facts.demo)}`, ''] : [];
  return ['', rule, title, '', ...body, rule, '', ...example, ''].join('\n');
}

/** Returns a command that works without the internet, because the name is a fixture. */
export function curlLine(apiUrl: string, { test_key }: Pick<DemoFacts, 'test_key'>): string {
  return `curl '${apiUrl}/v2.0/whois/live?domainName=registered.test&apiKey=${test_key}'`;
}

type FactsForAll = Pick<SoloFacts, 'dashboard_url' | 'demo' | 'mode'>;

/** Returns the demo account's log-in, or the address of the sign-up page if there is no demo account. */
export const wayIn = ({ demo, dashboard_url: url }: FactsForAll): [string, string] =>
  demo ? ['  log in', `${demo.email}   ${demo.password}`] : ['  sign up', `${url}/sign-up`];

export function keyRows(facts: FactsForAll): [string, string][] {
  const { demo } = facts;
  if (!demo) return [];
  return [
    ['Test key', `${demo.test_key}   fixtures such as registered.test, 0 credits`],
    ['Live key', `${demo.live_key}   ${liveNote(facts)}`],
  ];
}

function liveNote({ mode }: FactsForAll): string {
  return mode === 'offline' ? 'any name, from the registry simulator' : 'any name, spends credits';
}
