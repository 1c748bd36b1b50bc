import { Stripe } from 'stripe';
import type { CallRate } from '../call-rate.js';

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/**
 * Returns the SDK's own client, changed so that calls wait for their turn. The time limit of a call begins after the
 * wait.
 */
export function pacedHttpClient(rate: CallRate): HttpClient {
  const client = Stripe.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    await rate.turn();
    return makeRequest(...request);
  };
  return client;
}
