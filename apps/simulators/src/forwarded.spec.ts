import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IdentitySimulator } from './identity/identity-simulator.js';
import { PaymentsSimulator } from './payments/payments-simulator.js';
import { SimulatorsConfig } from './simulators.config.js';
import { type RunningSimulators, startSimulators } from './start.js';

describe('pages of the simulators', () => {
  const payments = new PaymentsSimulator();
  const identity = new IdentitySimulator();
  let simulators: RunningSimulators;
  let paymentsUrl: string;

  beforeAll(async () => {
    paymentsUrl = await payments.start();
    simulators = await startSimulators(Object.assign(new SimulatorsConfig(), { port: 0 }));
  });
  afterAll(async () => {
    await simulators?.stop();
    await payments.stop();
  });

  it('a target that is not a URL does not end the process', async () => {
    const { GOOGLE_ISSUER } = await identity.start();
    for (const url of [simulators.url, new URL(GOOGLE_ISSUER).origin]) {
      expect((await fetch(`${url}//`)).status).toBe(400);
    }
    await identity.stop();
  });

  it('S128: e-mails, exchanges and control are available on this machine, but not through a proxy', async () => {
    const pages = [
      ...['/mailbox', '/mails', '/exchanges'].map((path) => simulators.url + path),
      `${paymentsUrl}/control/state`,
    ];
    for (const page of pages) {
      expect([page, (await fetch(page)).status]).toEqual([page, 200]);
      const headers = { 'x-forwarded-for': '192.0.2.1' };
      expect([page, (await fetch(page, { headers })).status]).toEqual([page, 404]);
    }
    const checkout = `${paymentsUrl}/stripe/checkout/none`;
    expect((await fetch(checkout, { headers: { via: '1.1 proxy' } })).status).toBe(404);
    // A key protects the API.
    const api = `${paymentsUrl}/v1/customers/none`;
    expect((await fetch(api, { headers: { via: '1.1 proxy' } })).status).toBe(401);
  });
});
