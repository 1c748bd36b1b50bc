import { WEBHOOK_EVENTS, type WebhookEvent } from '#libs/contracts';
import { type WebhookForm, eventField } from './webhooks.dto.js';

export function eventsOf(form: WebhookForm): WebhookEvent[] {
  const ticked = form as Partial<Record<ReturnType<typeof eventField>, string>>;
  return WEBHOOK_EVENTS.filter((event) => ticked[eventField(event)] !== undefined);
}
