import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { Logger, ServiceUnavailable } from '#libs/platform';
import { TestClock } from '#test/environment';
import { AccountConfig } from '../account.config.js';
import { ProviderRefused } from './identities.errors.js';
import { ProvidersService } from './providers.service.js';

const AT_ONCE = 16;

it('S102: only a few log-ins wait for a provider, and others are refused at once', async () => {
  let calls = 0;
  const provider = createServer((_, response) => {
    calls += 1;
    response.writeHead(500).end();
  }).listen(0, '127.0.0.1');
  try {
    await once(provider, 'listening');
    const githubUrl = `http://localhost:${(provider.address() as AddressInfo).port}`;
    const config = Object.assign(new AccountConfig(), {
      githubClientId: 'client',
      githubClientSecret: 'secret',
      githubUrl,
      googleClientId: 'client',
      googleClientSecret: 'secret',
      googleIssuer: githubUrl,
    });
    const clock = new TestClock('2026-11-29T12:00:00Z');
    const logger = new Logger('account', { write: () => undefined });
    const providers = new ProvidersService(config, clock, logger);
    const asked = await providers.ask('github');
    const query = `?${new URLSearchParams({ code: 'made-up', state: asked.state })}`;
    const outcomesOf = async (count: number, call: () => Promise<unknown>) => {
      const settled = await Promise.allSettled(Array.from({ length: count }, call));
      return settled.map((one) => (one as PromiseRejectedResult).reason as unknown);
    };
    const confirm = () => providers.confirm(asked, query);
    for (const call of [confirm, () => providers.ask('google')]) {
      const reasons = await outcomesOf(AT_ONCE + 2, call);
      const refused = reasons.filter((reason) => reason instanceof ServiceUnavailable);
      expect(refused).toHaveLength(2);
      expect(await outcomesOf(1, call)).toEqual([expect.any(ProviderRefused)]);
    }
    // The log-ins share one call for Google's settings.
    expect(calls).toBe(AT_ONCE + 1 + 2);
  } finally {
    provider.close();
  }
});
