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
    const client = { githubClientId: 'client', githubClientSecret: 'secret' };
    const config = Object.assign(new AccountConfig(), { ...client, githubUrl });
    const clock = new TestClock('2026-11-29T12:00:00Z');
    const logger = new Logger('account', { write: () => undefined });
    const providers = new ProvidersService(config, clock, logger);
    const asked = await providers.ask('github');
    const query = `?${new URLSearchParams({ code: 'made-up', state: asked.state })}`;
    const confirm = async (count: number) => {
      const all = Array.from({ length: count }, () => providers.confirm(asked, query));
      const settled = await Promise.allSettled(all);
      return settled.map((one) => (one as PromiseRejectedResult).reason as unknown);
    };
    const reasons = await confirm(AT_ONCE + 2);
    const refused = reasons.filter((reason) => reason instanceof ServiceUnavailable);
    expect([refused.length, calls]).toEqual([2, AT_ONCE]);
    expect(await confirm(1)).toEqual([expect.any(ProviderRefused)]);
  } finally {
    provider.close();
  }
});
