import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MonitorAnswer, NameQuestions } from '#libs/contracts';
import { DAY_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { WorkerUnderTest } from '../../../../test/worker/worker-under-test.js';
import { WatchedWorld } from '../../../../test/worker/watched-world.js';
import { WatchedNamesMaintenanceRepository } from './watched-names-maintenance.repository.js';

describe('watched names whose servers are silent', () => {
  const under = new WorkerUnderTest();
  const world = new WatchedWorld();
  const accountId = newId();

  beforeAll(async () => {
    await world.start();
    await under.start(world.url);
    under.entitlement.monitors.set(accountId, { domain: 100, brand: 0, registrant: 0 });
  });
  afterAll(async () => {
    await under.stop();
    await world.stop();
  });

  const watch = (domainName: string) =>
    under.gateway.call<MonitorAnswer>('POST', '/internal/monitors', {
      accountId,
      body: { kind: 'domain', domainName, mail: false },
    });

  it('S102: do not delay the checks of other names', async () => {
    const { respond } = world;
    const silent: { names: readonly string[]; answer: () => void }[] = [];
    let ended = 0;
    world.respond = (request, response, body) => {
      const answer = () => respond(request, response, body);
      const { kind, names } = body as NameQuestions;
      const isSilent = kind === 'dns' && names.some((name) => name.startsWith('silent'));
      if (!isSilent) return answer();
      silent.push({ names, answer });
      response.once('close', () => (ended += 1));
    };
    for (let number = 0; number < 55; number++) await watch(`silent-${number}.com`);
    const asked = () => silent.reduce((sum, { names }) => sum + names.length, 0);
    await waitFor('calls about all silent names', async () => asked() === 55);
    world.resolve('answered.com', { A: ['192.0.2.1'] });
    await watch('answered.com');
    await waitFor('a check of the other name', async () => {
      const checked = 'select from watched_names where dns_checked_at is not null';
      return (await under.database.query(checked)).length === 1;
    });
    expect(ended).toBe(0);
    world.respond = respond;
    for (const { answer } of silent) answer();
    await waitFor('the end of the other checks', async () => {
      const open = 'select from watched_names where dns_checked_at is null and dns_problem is null';
      return (await under.database.query(open)).length === 0;
    });
  });

  it('are claimed apart from the others once a check has failed', async () => {
    const now = new Date(under.clock.now().getTime() + DAY_MS);
    const names = under.worker.app.get(WatchedNamesMaintenanceRepository, { strict: false });
    const claim = async (failed: boolean) => {
      const terms = { now, leaseUntil: now, limit: 100, failed };
      return (await names.claim(under.database, 'dns', terms)).names;
    };
    expect(await claim(false)).toEqual(['answered.com']);
    expect((await claim(true)).toSorted()).toEqual(
      Array.from({ length: 55 }, (_, number) => `silent-${number}.com`).toSorted(),
    );
  });

  it('S102: do not delay the checks of other names when they are checked again', async () => {
    const { respond } = world;
    const silent: (() => void)[] = [];
    world.respond = (request, response, body) => {
      const answer = () => respond(request, response, body);
      const { kind, names } = body as NameQuestions;
      const isSilent = kind === 'dns' && names.some((name) => name.startsWith('silent'));
      return isSilent ? void silent.push(answer) : answer();
    };
    await under.database.query(`update watched_names set dns_due_at = '2000-01-01'
      where dns_problem is not null`);
    await waitFor('calls about silent names', async () => silent.length === 2);
    world.resolve('later.com', { A: ['192.0.2.1'] });
    await watch('later.com');
    await waitFor('a check of the other name', async () => {
      const checked = `select from watched_names where name = 'later.com' and dns_checked_at is not null`;
      return (await under.database.query(checked)).length === 1;
    });
    world.respond = respond;
    for (const answer of silent) answer();
  });
});
