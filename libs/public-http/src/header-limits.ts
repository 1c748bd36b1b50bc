/** The maximum length of path and query together, in bytes. */
export const URI_MAX_BYTES = 8 * 1024;
/** The maximum length of a request's headers, in bytes. */
export const HEADERS_MAX_BYTES = 16 * 1024;
