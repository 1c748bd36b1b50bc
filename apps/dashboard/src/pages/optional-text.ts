import type { PipeTransform } from '@nestjs/common';

/** A part of a page's address: unlike a form's, others may stand beside it. One that is given twice is none. */
export class OptionalText implements PipeTransform<unknown, string> {
  transform(value: unknown): string {
    return typeof value === 'string' ? value : '';
  }
}
