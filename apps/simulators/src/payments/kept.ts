/** The maximum number of requests, events and answers that a simulator keeps, because it may run for months. */
export const KEPT_MAX = 10_000;

/** Adds an item to a list, and removes the oldest one if there are more than `max`. */
export function keepLatest<T>(list: T[], item: T, max = KEPT_MAX): void {
  list.push(item);
  if (list.length > max) list.shift();
}

/** Adds an entry to a map, and removes the oldest one if there are more than `KEPT_MAX`. */
export function putLatest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > KEPT_MAX) map.delete(oldest);
}
