import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { TestDatabase } from '#test/environment';
import { GatewayNeighbourhood } from '../../../test/stand-ins/gateway-neighbourhood.js';

/** Nothing listens there. */
const AWAY = 'http://127.0.0.1:1';

describe('readiness of a gateway', () => {
  let database: TestDatabase;
  let around: GatewayNeighbourhood;

  beforeAll(async () => {
    database = await TestDatabase.create();
    around = new GatewayNeighbourhood(database);
    await around.start();
  });

  afterAll(async () => {
    await around?.stop();
    await database?.drop();
  });

  it('S22: a start with a public origin and no trusted proxy warns', async () => {
    await around.startGateway({ BASE_URL: 'https://api.example.org' });
    expect(around.logged).toContain('GATEWAY_TRUSTED_PROXIES is not set');
  });

  it.each([
    [
      'a Valkey that is away is named, and it stays in service',
      { VALKEY_URL: 'redis://127.0.0.1:1' },
      ['counters'],
    ],
    ['a lookup that it cannot reach is named', { LOOKUP_URL: AWAY }, ['lookup']],
    ['an account service that it cannot reach is named', { ACCOUNT_URL: AWAY }, ['account']],
    ['so is a billing service, where it has one', { BILLING_INTERNAL_URL: AWAY }, ['billing']],
    ['with everything there nothing is away', {}, []],
  ])('%s', async (_what, settings, faults) => {
    const gateway = await around.startGateway(settings);
    const { statusCode, body } = await request(`${gateway.url}/ready`);
    const status = faults.length > 0 ? 'degraded' : 'ok';
    expect([statusCode, await body.json()]).toEqual([200, { status, faults }]);
  });
});
