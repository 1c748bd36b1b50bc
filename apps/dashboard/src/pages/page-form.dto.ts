import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, Matches } from 'class-validator';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_RULE } from '#libs/platform';

/** A field of a form. The service behind the page validates it; the page shows its errors. */
export const TextField = () => applyDecorators(IsOptional(), IsString());

/** Declares the idempotency key that the page creates, so that a form sent twice takes effect once. */
export const IdempotencyKeyField = () =>
  applyDecorators(IsOptional(), Matches(IDEMPOTENCY_KEY, { message: IDEMPOTENCY_KEY_RULE }));

/** The values that each form of our pages sends. */
export class PageForm {
  /** The token is checked before the form is read. */
  @TextField()
  csrf?: string;
}
