import type { PipeTransform } from '@nestjs/common';

/**
 * Returns a parameter of a page's URL; an empty text if it is missing or repeated. Unlike a form, a URL may contain
 * unknown parameters.
 */
export class OptionalText implements PipeTransform<unknown, string> {
  transform(value: unknown): string {
    return typeof value === 'string' ? value : '';
  }
}
