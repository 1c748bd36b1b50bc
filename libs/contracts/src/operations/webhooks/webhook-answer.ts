import {
  ArrayMinSize,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsString,
  IsUUID,
  MaxLength,
} from 'class-validator';
import {
  IsCount,
  Nested,
  NestedList,
  NullableText,
  NullableTime,
  OptionalText,
} from '../../members.js';
import { IsListOfDifferent, MayBeAbsent } from '../account/text-rules.js';
import { IsNullable } from '../../nullable.js';
import { Paging } from '../paging/paging-answer.js';

export const WEBHOOK_EVENTS = [
  'job.completed',
  'monitor.triggered',
  'file.published',
  'credits.low',
  'invoice.issued',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The event that only a test of a webhook sends. */
export const WEBHOOK_TEST_EVENT = 'webhook.test';

export const WEBHOOK_STATES = ['active', 'paused', 'disabled'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

const URL_LENGTH_MAX = 2_048;
const URL_RULE = 'must be an https URL on port 443 of a public host';

export class WebhookAnswer {
  @IsBoolean()
  status: boolean;

  @IsUUID()
  id: string;

  @IsString()
  url: string;

  @IsIn(WEBHOOK_EVENTS, { each: true })
  events: WebhookEvent[];

  /**
   * `paused`: you paused the webhook. `disabled`: we stopped it, after three days without a successful delivery or
   * after an answer of 410.
   */
  @IsIn(WEBHOOK_STATES)
  state: WebhookState;

  @IsISO8601()
  created_at: string;

  /** When deliveries began to fail; null while they succeed. */
  @NullableTime()
  failing_since: string | null;

  /** The end of the period in which deliveries are also signed with the previous secret; null if there is none. */
  @NullableTime()
  previous_secret_until: string | null;
}

/** An endpoint with its secret, which is shown only once: a repeated call gets the answer without it. */
export class WebhookSecretAnswer extends WebhookAnswer {
  /** `whsec_` and the key in Base64, the format of libraries for Standard Webhooks. */
  @OptionalText()
  secret?: string;
}

export class WebhooksAnswer {
  @IsBoolean()
  status: boolean;

  /** Newest first. */
  @NestedList(() => WebhookAnswer)
  webhooks: WebhookAnswer[];

  @Nested(() => Paging)
  paging: Paging;
}

export class WebhookDelivery {
  /** The header `webhook-id`, the same in every attempt. */
  @IsUUID()
  id: string;

  @IsString()
  type: string;

  @IsIn(DELIVERY_STATES)
  state: DeliveryState;

  @IsCount()
  tries: number;

  @IsISO8601()
  created_at: string;

  @NullableTime()
  last_try_at: string | null;

  /** When the next attempt is due; null if none is due, or if it is made at once. */
  @NullableTime()
  next_try_at: string | null;

  /** HTTP status of the last answer; null if there was none. */
  @IsNullable()
  @IsInt()
  response_status: number | null;

  /** Why the last attempt failed, such as `http_500` or `no_public_address`; null if it did not fail. */
  @NullableText()
  fault: string | null;

  /** The reason in words, for some faults with a remedy; null without a `fault`. */
  @NullableText()
  fault_detail: string | null;
}

export class WebhookDeliveryAnswer extends WebhookDelivery {
  @IsBoolean()
  status: boolean;
}

export class WebhookDeliveriesAnswer {
  @IsBoolean()
  status: boolean;

  /** Newest first. */
  @NestedList(() => WebhookDelivery)
  deliveries: WebhookDelivery[];

  @Nested(() => Paging)
  paging: Paging;
}

const EventList = () =>
  IsListOfDifferent(WEBHOOK_EVENTS.length, ArrayMinSize(1), IsIn(WEBHOOK_EVENTS, { each: true }));

export class CreateWebhookRequest {
  @IsString({ message: URL_RULE })
  @MaxLength(URL_LENGTH_MAX)
  url: string;

  @EventList()
  events: WebhookEvent[];
}

export class UpdateWebhookRequest {
  @MayBeAbsent()
  @IsString({ message: URL_RULE })
  @MaxLength(URL_LENGTH_MAX)
  url?: string;

  @MayBeAbsent()
  @EventList()
  events?: WebhookEvent[];

  /** `active` also re-enables a disabled webhook. */
  @MayBeAbsent()
  @IsIn(['active', 'paused'])
  state?: 'active' | 'paused';
}
