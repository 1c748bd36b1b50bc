import { timingSafeEqual } from 'node:crypto';

export interface RequestOrigin {
  origin?: string;
  /** The `Sec-Fetch-Site` header, which scripts cannot set. */
  fetchSite?: string;
  /** The token in the cookie, which other sites cannot read. */
  cookieToken?: string;
  /** The same token, from the form's hidden field or the `x-csrf-token` header. */
  sentToken?: string;
}

/**
 * Returns why a state-changing request is rejected; undefined if it is accepted. The browser must name our origin *and*
 * the request must repeat the cookie's token (S29). A client that sends neither `Origin` nor `Sec-Fetch-Site` cannot be
 * distinguished from another site and is rejected.
 */
export function forgeryFault(
  request: RequestOrigin,
  ownOrigin: string,
): 'cross_site' | 'token' | undefined {
  const { origin, fetchSite, cookieToken, sentToken } = request;
  if (origin === undefined && fetchSite === undefined) return 'cross_site';
  if (origin !== undefined && origin !== ownOrigin) return 'cross_site';
  if (fetchSite !== undefined && fetchSite !== 'same-origin') return 'cross_site';
  if (!cookieToken || !sentToken || !isSame(cookieToken, sentToken)) return 'token';
  return undefined;
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
