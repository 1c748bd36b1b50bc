/** Returns the anchor's day in a later month, or that month's last day, in UTC: 31 Jan → 28 or 29 Feb → 31 Mar. */
export function addMonths(anchor: Date, months: number): Date {
  const moved = new Date(anchor);
  moved.setUTCMonth(anchor.getUTCMonth() + months);
  // A day that the month does not have overflows into the next month; day 0 is the last day of the previous month.
  if (moved.getUTCDate() !== anchor.getUTCDate()) moved.setUTCDate(0);
  return moved;
}
