import { Stripe } from 'stripe';
import type { CallRate } from '../call-rate.js';

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/** The SDK's own client, whose calls wait for their turn; the time limit of a call begins after it. */
export function pacedHttpClient(rate: CallRate): HttpClient {
  const client = Stripe.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    await rate.turn();
    return makeRequest(...request);
  };
  return client;
}
