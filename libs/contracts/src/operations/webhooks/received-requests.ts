import type { DataClass, JsonSchema } from '../parameter.js';
import { WEBHOOK_DATA, WebhookBody } from './webhook-data.js';

/** The headers of every event (https://www.standardwebhooks.com). */
const HEADERS = [
  header('webhook-id', 'The same in every attempt to send the event', { type: 'string' }),
  header('webhook-timestamp', 'Time of this attempt in seconds since 1970; reject old ones', {
    type: 'string',
    pattern: '^[0-9]+$',
  }),
  header(
    'webhook-signature',
    'One or more signatures `v1,<Base64>`, separated by spaces; one valid signature is enough. A signature is the ' +
      'HMAC-SHA256 of `webhook-id`, a dot, `webhook-timestamp`, a dot and the unmodified body. The key is the part of ' +
      'the secret after `whsec_`, decoded from Base64',
    { type: 'string' },
  ),
];

function header(name: string, description: string, schema: JsonSchema) {
  return { name, in: 'header', required: true, description, schema };
}

const RESPONSES = {
  '2XX': { description: 'The event has arrived' },
  410: { description: 'The webhook is disabled at once' },
  default: { description: 'The event is sent again, up to nine times within about three days' },
};

/**
 * Returns the requests that a webhook receives, by the type of event, as OpenAPI 3.1 describes them. @param refer
 * returns a reference to the schema of a class.
 */
export function receivedRequests(refer: (type: DataClass) => JsonSchema): Record<string, object> {
  const body = refer(WebhookBody);
  const requests = Object.entries(WEBHOOK_DATA).map(([type, { of, when, example }]) => {
    const own = {
      type: 'object',
      properties: { type: { const: type }, data: refer(of) },
      required: ['data'],
    };
    const sent = { type, timestamp: '2026-11-20T10:00:04.000Z', data: example };
    const post = {
      operationId: `webhook.${type}`,
      summary: `Sent when ${when}`,
      tags: ['webhooks'],
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { allOf: [body, own] }, example: sent } },
      },
      responses: RESPONSES,
    };
    return [type, { post }];
  });
  return Object.fromEntries(requests) as Record<string, object>;
}
