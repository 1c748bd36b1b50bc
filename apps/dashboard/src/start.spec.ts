import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { Logger, SystemClock, loadConfig } from '#libs/platform';
import { dashboardEnvironment } from '../../../test/dashboard/dashboard-under-test.js';
import { DashboardConfig } from './dashboard.config.js';
import { type RunningDashboard, startDashboard } from './start.js';

const AWAY = 'http://127.0.0.1:1';

describe('a dashboard', () => {
  let owner: Server;
  let ownersUrl: string;
  let logged = '';
  const running: RunningDashboard[] = [];

  beforeAll(async () => {
    owner = createServer((_request, answer) => void answer.end('{}')).listen(0, '127.0.0.1');
    await once(owner, 'listening');
    ownersUrl = `http://127.0.0.1:${(owner.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await Promise.all(running.map((one) => one.stop()));
    owner.closeAllConnections();
    owner.close();
  });

  async function start(settings: Record<string, string> = {}): Promise<RunningDashboard> {
    const environment = { ...dashboardEnvironment(ownersUrl), ...settings };
    const one = await startDashboard({
      config: loadConfig(DashboardConfig, environment),
      clock: new SystemClock(),
      logger: new Logger('dashboard', { write: (line: string) => void (logged += line) }),
    });
    running.push(one);
    return one;
  }

  it('S82: if e-mails are really sent, no page shows them', async () => {
    const { dashboardUrl, url } = await start();
    expect(await readinessOf(url)).toEqual([200, { status: 'ok', faults: [] }]);
    const { host } = new URL(dashboardEnvironment(ownersUrl).BILLING_URL);
    expect(await statusOf(`${dashboardUrl}/log-in`, { host })).toBe(200);
    expect(await statusOf(`${dashboardUrl}/mailbox`, { host })).toBe(404);
  });

  it('S22: with a public origin but no trusted proxy, the dashboard logs a warning at the start', () => {
    expect(logged).toContain('DASHBOARD_TRUSTED_PROXIES is not set although BILLING_URL is public');
  });

  it('`/ready` names unreachable services, and the dashboard remains ready', async () => {
    const { url } = await start({ BILLING_INTERNAL_URL: AWAY, GATEWAY_URL: AWAY });
    expect(await readinessOf(url)).toEqual([
      200,
      { status: 'degraded', faults: ['gateway', 'billing'] },
    ]);
  });

  it('if the public port is in use, the start fails and names the port’s setting', async () => {
    const { port } = new URL(ownersUrl);
    await expect(start({ DASHBOARD_PORT: port })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port} (DASHBOARD_PORT): another process listens there`,
    );
  });

  it('the internal listener has metrics, and the public listener has none', async () => {
    const { dashboardUrl, url } = await start();
    const { host } = new URL(dashboardEnvironment(ownersUrl).BILLING_URL);
    expect(await statusOf(`${dashboardUrl}/metrics`, { host })).toBe(404);
    expect(await statusOf(`${url}/metrics`)).toBe(200);
  });
});

async function readinessOf(url: string): Promise<[status: number, body: unknown]> {
  const { statusCode, body } = await request(`${url}/ready`);
  return [statusCode, await body.json()];
}

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  const { statusCode, body } = await request(url, { headers });
  await body.dump();
  return statusCode;
}
