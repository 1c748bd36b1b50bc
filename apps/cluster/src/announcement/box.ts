import {
  PAYMENTS,
  SIMULATED_DATA,
  curlLine,
  keyRows,
  wayIn,
} from '../../../solo/src/announcement/box.js';
import type { ClusterFacts } from './cluster-facts.js';

/**
 * Returns the text that is printed after a start: all addresses and, with a demo account, a command to paste that works
 * offline.
 */
export function announcement(facts: ClusterFacts, seconds: number): string {
  const gateways = gatewayRows(facts);
  const rows: [string, string][] = [
    ...gateways,
    ['Dashboard', facts.dashboard_url],
    wayIn(facts),
    ['Mailbox', facts.mailbox_url],
    ...keyRows(facts),
    SIMULATED_DATA,
    ['Payments', PAYMENTS[facts.payments]],
    ['Kafka', facts.brokers ?? 'none'],
    ['Valkey', facts.valkey_url ?? 'none'],
    ['Details', `${facts.data_folder}/cluster.json   logs: ${facts.log_file}`],
    [
      'Operate',
      `node_modules/.bin/node --env-file=${facts.data_folder}/operator.env dist/apps/cli/src/main.js --help`,
    ],
    ['Stop', `Ctrl-C      start over: remove ${facts.data_folder}`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const body = rows.map(([name, text]) => `  ${name.padEnd(width)}   ${text}`);
  const rule = '─'.repeat(Math.max(...body.map((line) => line.length)) + 2);
  const title = `  Domain Data Service is running, a process for each service (${seconds.toFixed(1)} s).`;
  return ['', rule, title, '', ...body, rule, '', ...exampleLines(facts), ''].join('\n');
}

/** Returns a row for each address. If gateways share an address, its row says how many. */
function gatewayRows({ gateways }: ClusterFacts): [string, string][] {
  const [{ api_url }] = gateways;
  const isOnePort = gateways.length > 1 && gateways.every((each) => each.api_url === api_url);
  return (isOnePort ? gateways.slice(0, 1) : gateways).map((gateway, index) => [
    isOnePort ? `${gateways.length} gateways` : `Gateway ${index + 1}`,
    gateway.api_url,
  ]);
}

/** Returns an example command if there is a demo account. It uses the last gateway, to show that all accept the key. */
function exampleLines({ gateways, demo }: ClusterFacts): string[] {
  const { api_url } = gateways.at(-1) as ClusterFacts['gateways'][number];
  return demo ? [`  ${curlLine(api_url, demo)}`, ''] : [];
}
