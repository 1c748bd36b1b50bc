import { WEBHOOK_EVENTS, type WebhookEvent } from '#libs/contracts';
import { IdempotencyKeyField, PageForm, TextField } from '../pages/page-form.dto.js';

/** Returns the name of an event's checkbox. The names differ, because a form may contain each name only once. */
export const eventField = (event: WebhookEvent) => `event_${event}` as const;

export class WebhookForm extends PageForm {
  @IdempotencyKeyField()
  idempotency_key?: string;

  @TextField()
  url?: string;
}
for (const event of WEBHOOK_EVENTS) TextField()(WebhookForm.prototype, eventField(event));

export class NewSecretForm extends PageForm {
  /** The time until which the previous secret also signs; empty if there is no previous secret. */
  @TextField()
  previous?: string;
}

export class WebhookStateForm extends PageForm {
  @TextField()
  state?: string;
}
