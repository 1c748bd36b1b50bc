import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, Matches } from 'class-validator';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_RULE } from '#libs/platform';

/** A field of a form. Its owner judges it, and says on the page what is wrong. */
export const TextField = () => applyDecorators(IsOptional(), IsString());

/** Made by the page, so that a form sent twice is carried out once. */
export const IdempotencyKeyField = () =>
  applyDecorators(IsOptional(), Matches(IDEMPOTENCY_KEY, { message: IDEMPOTENCY_KEY_RULE }));

/** What each form of our pages sends. */
export class PageForm {
  /** Was looked at before the form. */
  @TextField()
  csrf?: string;
}
