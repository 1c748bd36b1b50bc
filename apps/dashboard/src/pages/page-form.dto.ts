import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, Matches } from 'class-validator';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_RULE } from '#libs/platform';

/** Declares a field of a form. The owner behind the page validates it, and the page shows the owner's errors. */
export const TextField = () => applyDecorators(IsOptional(), IsString());

/** Declares the idempotency key that the page creates, so that a form sent twice takes effect once. */
export const IdempotencyKeyField = () =>
  applyDecorators(IsOptional(), Matches(IDEMPOTENCY_KEY, { message: IDEMPOTENCY_KEY_RULE }));

export class PageForm {
  /** The CSRF token, which has already been checked. */
  @TextField()
  csrf?: string;
}
