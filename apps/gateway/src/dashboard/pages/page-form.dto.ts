import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, Matches } from 'class-validator';

/** A field of a form. Its owner judges it, and says on the page what is wrong. */
export const TextField = () => applyDecorators(IsOptional(), IsString());

/** What may travel in a header; made by the page, so that a form sent twice is carried out once. */
export const IdempotencyKeyField = () =>
  applyDecorators(
    IsOptional(),
    Matches(/^[\x21-\x7e]{1,255}$/, { message: 'must be 1 to 255 visible ASCII characters' }),
  );

/** What each form of our pages sends. */
export class PageForm {
  /** Was looked at before the form. */
  @TextField()
  csrf?: string;
}
