import { type AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { isFromThisMachine } from '#libs/platform';
import { MailSimulator } from './mail/mail-simulator.js';
import { RegistrySimulator } from './registry/registry-simulator.js';
import type { SimulatorsConfig } from './simulators.config.js';

export interface RunningSimulators {
  /** `GET /mailbox` (a page), `/mails` and `/exchanges` (`?domain=…`; JSON, for tests). */
  url: string;
  smtpUrl: string;
  upstreamExceptions: string;
  caFile: string;
  dnsServers: string;
  stop(): Promise<void>;
}

/**
 * Starts registries, registrars, a resolver, a mail server and the HTTP server at `url`, all on
 * loopback sockets.
 */
export async function startSimulators(config: SimulatorsConfig): Promise<RunningSimulators> {
  const registries = new RegistrySimulator(config);
  const mail = new MailSimulator();
  const internet = await registries.start();
  const smtpUrl = await mail.start(config.smtpPort);
  const server = createServer((request, response) => {
    if (!isFromThisMachine(request)) return response.writeHead(404).end();
    const url = URL.parse(request.url ?? '/', 'http://simulators');
    if (!url) return response.writeHead(400).end();
    const { pathname, searchParams } = url;
    const json = (value: object) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    switch (pathname) {
      case '/mailbox':
        return response.setHeader('content-type', 'text/html; charset=utf-8').end(mail.page());
      case '/mails':
        return json(mail.newest(Number(searchParams.get('limit') ?? 50)));
      case '/exchanges':
        return json(asked(registries, searchParams.get('domain')));
      default:
        response.statusCode = 404;
        return response.end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(config.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    smtpUrl,
    ...internet,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await mail.stop();
      await registries.stop();
    },
  };
}

const asked = ({ exchanges }: RegistrySimulator, domain: string | null) =>
  domain === null ? exchanges.entries : exchanges.of(domain);
