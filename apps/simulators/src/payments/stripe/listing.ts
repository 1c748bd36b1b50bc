import { type Form } from './requests/form-body.js';
import type { ListOf } from './stripe-objects.js';
import { StripeRefusal } from './requests/stripe-refusal.js';

const PAGE = 10;
const PAGE_MAX = 100;

/**
 * Returns a page of objects for Stripe's paging parameters `limit`, `starting_after`, `ending_before` and `created`.
 * @param all the objects, newest first. @throws StripeRefusal for an invalid `limit` or an unknown id.
 */
export function listed<T extends { id: string; created: number }>(
  url: string,
  all: readonly T[],
  { limit = PAGE, starting_after: after, ending_before: before, created }: Form,
): ListOf<T> {
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > PAGE_MAX) {
    throw StripeRefusal.invalid('parameter_invalid_integer', `limit: 1 to ${PAGE_MAX}`);
  }
  const fitting = all.filter((object) => isWithin(object.created, created));
  const size = Number(limit);
  const end = before === undefined ? fitting.length : placeOf(fitting, before);
  const from = after === undefined ? 0 : placeOf(fitting, after) + 1;
  const start = before === undefined ? from : Math.max(0, end - size);
  const data = fitting.slice(start, Math.min(end, start + size));
  const hasMore = before === undefined ? start + data.length < end : start > 0;
  return { object: 'list', data, has_more: hasMore, url };
}

function placeOf(all: readonly { id: string }[], id: unknown): number {
  const place = all.findIndex((object) => object.id === id);
  if (place < 0) throw StripeRefusal.invalid('resource_missing', `No such object: '${String(id)}'`);
  return place;
}

/** Whether a time passes the filter `created`, which is a time in seconds or an object with bounds. */
function isWithin(time: number, created: Form[string] | undefined): boolean {
  if (typeof created !== 'object' || Array.isArray(created)) {
    return created === undefined || time === Number(created);
  }
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = created;
  return time > Number(gt) && time >= Number(gte) && time < Number(lt) && time <= Number(lte);
}
