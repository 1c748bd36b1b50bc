/** Longest path with query, in bytes. */
export const URI_MAX_BYTES = 8 * 1024;
/** Longest headers of a request, in bytes. */
export const HEADERS_MAX_BYTES = 16 * 1024;
